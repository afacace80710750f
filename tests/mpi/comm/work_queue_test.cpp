// Work queue: each item is drawn once by all ranks it needs, and a closed queue gives no item.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/work_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace nfold::comm {
namespace {

bool never() { return false; }

std::vector<int> one_node(const Communicator& communicator) {
  return std::vector<int>(static_cast<std::size_t>(communicator.size()), 0);
}

TEST(WorkQueue, GivesEachItemToItsNumberOfRanks) {
  const auto world = Communicator::world();
  std::vector<int> ranks_per_item(60, 1);
  for (std::size_t k = 0; k < ranks_per_item.size(); k += 7) {
    ranks_per_item[k] = 1 + static_cast<int>(k) % world.size();
  }
  WorkQueue queue(world, ranks_per_item, one_node(world));
  std::vector<std::int64_t> drawn(ranks_per_item.size(), 0);
  std::int64_t before = -1;
  while (const auto draw = queue.next(never)) {
    const auto k = static_cast<std::size_t>(draw->item);
    EXPECT_GT(draw->item, before) << "not in the order of the list";
    before = draw->item;
    EXPECT_EQ(draw->group.size(), ranks_per_item[k]);
    // Collectives of a group reach its members only.
    EXPECT_EQ(draw->group.sum(std::int64_t{1}), ranks_per_item[k]);
    if (world.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++drawn[k];
  }
  world.sum(std::span<std::int64_t>(drawn));
  for (std::size_t k = 0; k < drawn.size(); ++k) EXPECT_EQ(drawn[k], ranks_per_item[k]) << k;
}

TEST(WorkQueue, GivesNothingOnceClosed) {
  const auto world = Communicator::world();
  WorkQueue queue(world, std::vector<int>(1000, 1), one_node(world));
  if (world.is_root()) {
    EXPECT_TRUE(queue.next(never).has_value());
    queue.close();
  }
  world.barrier();
  EXPECT_FALSE(queue.next(never).has_value());
}

TEST(WorkQueue, StopsWaitingOnRequest) {
  const auto world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  WorkQueue queue(world, {world.size()}, one_node(world));
  // The last rank never comes.
  if (world.rank() + 1 < world.size()) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    EXPECT_FALSE(queue.next([&] { return std::chrono::steady_clock::now() > until; }).has_value());
  }
  world.barrier();
  EXPECT_FALSE(queue.next(never).has_value());
}

TEST(WorkQueue, ItemForTooManyRanksHasNoGroup) {
  const auto world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  // One item for each rank, one for all ranks, of which one withdraws, and one more for each rank.
  const int size = world.size();
  std::vector<int> ranks_per_item(static_cast<std::size_t>(size), 1);
  ranks_per_item.push_back(size);
  ranks_per_item.insert(ranks_per_item.end(), ranks_per_item.begin(),
                        ranks_per_item.begin() + size);
  WorkQueue queue(world, ranks_per_item, one_node(world));
  const auto first = queue.next(never);
  EXPECT_TRUE(first && first->has_group);
  std::int64_t drawn = 1, without_group = 0;
  if (world.rank() + 1 == size) {
    queue.withdraw();
  } else {
    while (const auto draw = queue.next(never)) {
      EXPECT_EQ(draw->has_group, draw->item != size);
      (draw->has_group ? drawn : without_group) += 1;
    }
  }
  EXPECT_EQ(world.sum(drawn), 2 * size);
  EXPECT_EQ(world.sum(without_group), size) << "one for each of its tickets";
}

TEST(WorkQueue, FailingRankLeavesWithoutOthers) {
  const auto world = Communicator::world();
  const auto leave = [&] {
    const WorkQueue queue(world, {1, 1, 1}, one_node(world));
    if (!world.is_root()) world.barrier();  // still working until rank 0 has left
    throw std::runtime_error("a broken device");
  };
  EXPECT_THROW(leave(), std::runtime_error);
  if (world.is_root()) world.barrier();
}

TEST(WorkQueue, RefusesItemsForTooManyRanks) {
  const auto world = Communicator::world();
  EXPECT_THROW(WorkQueue(world, {world.size() + 1}, one_node(world)), std::invalid_argument);
  EXPECT_THROW(WorkQueue(world, {0}, one_node(world)), std::invalid_argument);
}

TEST(FirstTicketsByNode, KeepAGroupWithinANode) {
  // Three ranks on the first node of four; the other three on the second; singles fill the rest.
  const std::vector<int> nodes{0, 0, 0, 0, 4, 4, 4, 4};
  EXPECT_EQ(first_tickets_by_node({3, 3, 1, 1, 1}, nodes),
            (std::vector<std::int64_t>{0, 1, 2, 6, 3, 4, 5, 7}));
  // Round-robin placement over nodes, as by some launchers.
  EXPECT_EQ(first_tickets_by_node({2, 2}, std::vector<int>{0, 1, 0, 1}),
            (std::vector<std::int64_t>{0, 2, 1, 3}));
}

TEST(FirstTicketsByNode, TakeTheSmallestFittingNode) {
  const std::vector<int> nodes{0, 0, 0, 3, 3};
  EXPECT_EQ(first_tickets_by_node({2, 3}, nodes), (std::vector<std::int64_t>{2, 3, 4, 0, 1}));
}

TEST(FirstTicketsByNode, SpreadOverFewestNodes) {
  const std::vector<int> nodes{0, 0, 2, 2, 2};
  EXPECT_EQ(first_tickets_by_node({4, 1}, nodes), (std::vector<std::int64_t>{3, 4, 0, 1, 2}));
  // A rank without a first item gets a ticket beyond the last item.
  EXPECT_EQ(first_tickets_by_node({2}, nodes), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(first_tickets_by_node({}, nodes), (std::vector<std::int64_t>{3, 4, 0, 1, 2}));
}

TEST(WorkQueue, FirstGroupsStayWithinANode) {
  const auto world = Communicator::world();
  if (world.size() < 4) GTEST_SKIP() << "needs two nodes of two ranks";
  // Round-robin placement, so that rank order alone would mix the nodes.
  const int node = world.rank() % 2;
  const auto nodes = world.all_gather(std::span<const int>(&node, 1));
  WorkQueue queue(world, {2, 2}, nodes);
  const auto draw = queue.next(never);
  ASSERT_FALSE(world.any(!draw.has_value()));
  EXPECT_EQ(draw->group.sum(std::int64_t{node}), 2 * node);
}

TEST(Group, KeepsTheRequestedOrder) {
  const auto world = Communicator::world();
  std::vector<int> backwards(static_cast<std::size_t>(world.size()));
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  const auto group = world.group(backwards, 5);
  EXPECT_EQ(group.size(), world.size());
  EXPECT_EQ(group.rank(), world.size() - 1 - world.rank());
}

}  // namespace
}  // namespace nfold::comm
