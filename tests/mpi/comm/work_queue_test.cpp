// Every item is drawn once, by as many ranks as it is for, and a closed queue gives nothing more.
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

TEST(WorkQueue, GivesEachItemToAsManyRanksAsItIsFor) {
  const auto world = Communicator::world();
  std::vector<int> ranks_of(60, 1);
  for (std::size_t k = 0; k < ranks_of.size(); k += 7) {
    ranks_of[k] = 1 + static_cast<int>(k) % world.size();
  }
  WorkQueue queue(world, ranks_of, one_node(world));
  std::vector<std::int64_t> drawn(ranks_of.size(), 0);
  std::int64_t before = -1;
  while (const auto draw = queue.next(never)) {
    const auto k = static_cast<std::size_t>(draw->item);
    EXPECT_GT(draw->item, before) << "not in the order of the list";
    before = draw->item;
    EXPECT_EQ(draw->group.size(), ranks_of[k]);
    // A group can talk, and only its members hear.
    EXPECT_EQ(draw->group.sum(std::int64_t{1}), ranks_of[k]);
    if (world.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++drawn[k];
  }
  world.sum(std::span<std::int64_t>(drawn));
  for (std::size_t k = 0; k < drawn.size(); ++k) EXPECT_EQ(drawn[k], ranks_of[k]) << k;
}

TEST(WorkQueue, NothingIsDrawnOnceItIsClosed) {
  const auto world = Communicator::world();
  WorkQueue queue(world, std::vector<int>(1000, 1), one_node(world));
  if (world.is_root()) {
    EXPECT_TRUE(queue.next(never).has_value());
    queue.close();
  }
  world.barrier();
  EXPECT_FALSE(queue.next(never).has_value());
}

TEST(WorkQueue, WhoWaitsInVainGivesUp) {
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

TEST(WorkQueue, AnItemForMoreRanksThanAreLeftHasNoGroup) {
  const auto world = Communicator::world();
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  // Each has one item; then one for all of them, of which one withdraws, and one for each.
  const int size = world.size();
  std::vector<int> ranks_of(static_cast<std::size_t>(size), 1);
  ranks_of.push_back(size);
  ranks_of.insert(ranks_of.end(), ranks_of.begin(), ranks_of.begin() + size);
  WorkQueue queue(world, ranks_of, one_node(world));
  EXPECT_TRUE(queue.next(never).value().has_group);
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

TEST(WorkQueue, IsLeftByAFailureWithoutTheOthers) {
  const auto world = Communicator::world();
  const auto leave = [&] {
    const WorkQueue queue(world, {1, 1, 1}, one_node(world));
    if (!world.is_root()) world.barrier();  // at work, until rank 0 has left
    throw std::runtime_error("a broken device");
  };
  EXPECT_THROW(leave(), std::runtime_error);
  if (world.is_root()) world.barrier();
}

TEST(WorkQueue, RefusesItemsForMoreRanksThanThereAre) {
  const auto world = Communicator::world();
  EXPECT_THROW(WorkQueue(world, {world.size() + 1}, one_node(world)), std::invalid_argument);
  EXPECT_THROW(WorkQueue(world, {0}, one_node(world)), std::invalid_argument);
}

TEST(FirstTicketsByNode, KeepAGroupWithinANode) {
  // Three on a node of four, two on the other; the fourth of the first node has one for itself.
  const std::vector<int> nodes{0, 0, 0, 0, 4, 4, 4, 4};
  EXPECT_EQ(first_tickets_by_node({3, 3, 1, 1, 1}, nodes),
            (std::vector<std::int64_t>{0, 1, 2, 6, 3, 4, 5, 7}));
  // By turns on the nodes, as some launchers place ranks.
  EXPECT_EQ(first_tickets_by_node({2, 2}, std::vector<int>{0, 1, 0, 1}),
            (std::vector<std::int64_t>{0, 2, 1, 3}));
}

TEST(FirstTicketsByNode, TakeTheLeastRoomThatIsEnough) {
  const std::vector<int> nodes{0, 0, 0, 3, 3};
  EXPECT_EQ(first_tickets_by_node({2, 3}, nodes), (std::vector<std::int64_t>{2, 3, 4, 0, 1}));
}

TEST(FirstTicketsByNode, SpreadOverAsFewNodesAsCanBe) {
  const std::vector<int> nodes{0, 0, 2, 2, 2};
  EXPECT_EQ(first_tickets_by_node({4, 1}, nodes), (std::vector<std::int64_t>{3, 4, 0, 1, 2}));
  // Who begins with nothing has a ticket that nobody honours.
  EXPECT_EQ(first_tickets_by_node({2}, nodes), (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(first_tickets_by_node({}, nodes), (std::vector<std::int64_t>{3, 4, 0, 1, 2}));
}

TEST(WorkQueue, GroupsBeginWithinANode) {
  const auto world = Communicator::world();
  if (world.size() < 4) GTEST_SKIP() << "needs two nodes of two ranks";
  // By turns, so that the order of ranks alone would mix the nodes.
  const int node = world.rank() % 2;
  const auto nodes = world.all_gather(std::span<const int>(&node, 1));
  WorkQueue queue(world, {2, 2}, nodes);
  const auto draw = queue.next(never);
  ASSERT_TRUE(draw.has_value());
  EXPECT_EQ(draw->group.sum(std::int64_t{node}), 2 * node);
}

TEST(Group, HasTheOrderThatWasAskedFor) {
  const auto world = Communicator::world();
  std::vector<int> backwards(static_cast<std::size_t>(world.size()));
  std::iota(backwards.rbegin(), backwards.rend(), 0);
  const auto group = world.group(backwards, 5);
  EXPECT_EQ(group.size(), world.size());
  EXPECT_EQ(group.rank(), world.size() - 1 - world.rank());
}

}  // namespace
}  // namespace nfold::comm
