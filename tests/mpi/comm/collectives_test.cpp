// Collectives, also with ranks that contribute nothing and with messages cut into pieces.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/messages.hpp"
#include "comm/mpi_check.hpp"
#include "comm/mpi_handle.hpp"

namespace nfold::comm {
namespace {

struct Item {
  std::int32_t from = 0;
  std::int32_t to = 0;
  double value = 0;
  bool operator==(const Item&) const = default;
};

/// Items of rank `from` for rank `to`; none from every third rank, none to the last rank but one.
std::vector<Item> items(int from, int to, int rank_count) {
  std::vector<Item> result;
  if (from % 3 == 1 || (rank_count > 2 && to == rank_count - 2)) return result;
  for (int i = 0; i < 5 * from + to + 1; ++i) result.push_back({from, to, 0.5 * i});
  return result;
}

/// The parameter is the length at which messages are cut.
class Collectives : public testing::TestWithParam<std::size_t> {
 protected:
  Communicator world_ = Communicator::world(GetParam());
  int rank_ = world_.rank(), size_ = world_.size();
};

TEST_P(Collectives, ReduceOverAllRanks) {
  EXPECT_EQ(world_.sum(rank_ + 1), size_ * (size_ + 1) / 2);
  EXPECT_EQ(world_.max(-rank_), 0);
  EXPECT_EQ(world_.min(-rank_), 1 - size_);
  EXPECT_TRUE(world_.any(rank_ == size_ - 1));
  EXPECT_FALSE(world_.any(false));
}

TEST_P(Collectives, SumOfSpanWrapsAround) {
  std::vector<std::int64_t> values(17);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int64_t>(i) * (rank_ + 1);
  }
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  values[3] = rank_ == 0 ? most : (rank_ == 1 ? 1 : 0);
  world_.sum(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 3) continue;
    EXPECT_EQ(values[i], static_cast<std::int64_t>(i) * size_ * (size_ + 1) / 2);
  }
  EXPECT_EQ(values[3], size_ == 1 ? most : std::numeric_limits<std::int64_t>::min());
  world_.sum(std::span<std::int64_t>{});
}

TEST_P(Collectives, BroadcastFromAnyRoot) {
  for (int root = 0; root < size_; ++root) {
    const std::string text = "from " + std::to_string(root) + std::string(100, 'x');
    EXPECT_EQ(world_.broadcast(rank_ == root ? text : "other", root), text);
    EXPECT_EQ(world_.broadcast(rank_ == root ? "" : "other", root), "");
  }
}

TEST_P(Collectives, GatherInRankOrder) {
  const auto mine = items(rank_, 0, 1);
  std::vector<Item> expected;
  for (int from = 0; from < size_; ++from) {
    for (const auto& item : items(from, 0, 1)) expected.push_back(item);
  }
  EXPECT_EQ(world_.all_gather(std::span<const Item>(mine)), expected);
  for (int root = 0; root < size_; ++root) {
    EXPECT_EQ(world_.gather(std::span<const Item>(mine), root),
              rank_ == root ? expected : std::vector<Item>{});
  }
}

TEST_P(Collectives, GatherEachVisitsRanksInOrder) {
  const auto mine = items(rank_, 0, 1);
  for (int root = 0; root < size_; ++root) {
    std::vector<int> order;
    world_.gather_each(
        std::span<const Item>(mine),
        [&](int from, const std::vector<Item>& part) {
          EXPECT_EQ(part, items(from, 0, 1));
          order.push_back(from);
        },
        root);
    std::vector<int> expected(static_cast<std::size_t>(rank_ == root ? size_ : 0));
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
  }
}

TEST_P(Collectives, AcceptEmptyContributions) {
  EXPECT_TRUE(world_.all_gather(std::span<const Item>{}).empty());
  EXPECT_TRUE(world_.gather(std::span<const Item>{}).empty());
  const std::vector<std::vector<Item>> nothing(static_cast<std::size_t>(size_));
  EXPECT_EQ(world_.all_to_all(nothing), nothing);
  const std::vector<std::int64_t> none(static_cast<std::size_t>(size_), 0);
  EXPECT_TRUE(world_.exchange(std::span<const Item>{}, none).values.empty());
}

TEST_P(Collectives, AllToAllDeliversToEachRank) {
  std::vector<std::vector<Item>> send, expected;
  for (int peer = 0; peer < size_; ++peer) {
    send.push_back(items(rank_, peer, size_));
    expected.push_back(items(peer, rank_, size_));
  }
  EXPECT_EQ(world_.all_to_all(send), expected);
}

TEST_P(Collectives, ExchangeDeliversValuesByRank) {
  Communicator::ByRank<Item> send, expected;
  const auto append = [](Communicator::ByRank<Item>& to, const std::vector<Item>& part) {
    to.values.insert(to.values.end(), part.begin(), part.end());
    to.counts.push_back(static_cast<std::int64_t>(part.size()));
  };
  for (int peer = 0; peer < size_; ++peer) {
    append(send, items(rank_, peer, size_));
    append(expected, items(peer, rank_, size_));
  }
  const auto exchanged = world_.exchange(std::span<const Item>(send.values), send.counts);
  EXPECT_EQ(exchanged.values, expected.values);
  EXPECT_EQ(exchanged.counts, expected.counts);
  std::vector<Item> received(expected.values.size());
  world_.exchange(std::span<const Item>(send.values), send.counts, std::span<Item>(received));
  EXPECT_EQ(received, expected.values);
  send.counts.back() += 1;
  EXPECT_THROW((void)world_.exchange(std::span<const Item>(send.values), send.counts),
               std::invalid_argument);
}

TEST_P(Collectives, NodeHoldsAllRanks) {
  const auto place = world_.node_position();
  EXPECT_EQ(place.size, size_);
  EXPECT_EQ(world_.sum(place.rank), size_ * (size_ - 1) / 2);
  EXPECT_EQ(place.first, 0);
}

INSTANTIATE_TEST_SUITE_P(WholeAndCut, Collectives,
                         testing::Values(std::size_t{1} << 30U, std::size_t{7}));

TEST(BarrierWithin, PassesOrTimesOut) {
  const auto world = Communicator::world();
  std::vector<int> all(static_cast<std::size_t>(world.size()));
  std::iota(all.begin(), all.end(), 0);
  constexpr std::chrono::seconds long_enough{60};
  EXPECT_TRUE(world.barrier_within(long_enough));
  const auto left_alone = world.group(all, 3);  // not used afterwards
  const bool arrives = world.rank() == 0;
  if (arrives) {
    EXPECT_EQ(left_alone.barrier_within(std::chrono::milliseconds(30)), world.size() == 1);
  }
  world.barrier();
  // The others come late, so that no request is left when the group ends.
  if (!arrives) (void)left_alone.barrier_within(std::chrono::milliseconds(30));
  EXPECT_TRUE(world.barrier_within(long_enough));
}

TEST(Pieces, CoverEverythingOnce) {
  using Cut = std::vector<std::pair<std::size_t, int>>;
  const auto cut = [](std::size_t size, std::size_t most) {
    Cut pieces;
    for_each_piece(size, most, [&](std::size_t first, int count) {
      pieces.push_back({first, count});
    });
    return pieces;
  };
  EXPECT_TRUE(cut(0, 5).empty());
  EXPECT_EQ(cut(11, 5), (Cut{{0, 5}, {5, 5}, {10, 1}}));
  EXPECT_EQ(cut(10, 5), (Cut{{0, 5}, {5, 5}}));
  constexpr std::size_t gib = std::size_t{1} << 30U;
  EXPECT_EQ(cut(3 * gib, gib), (Cut{{0, gib}, {gib, gib}, {2 * gib, gib}}));
}

TEST(Errors, NameCallSiteRankAndReason) {
  const auto world = Communicator::world();
  try {
    check_mpi(MPI_Bcast(nullptr, 1, MPI_BYTE, world.size() + 5, mpi_comm(world)));
    ADD_FAILURE() << "a broadcast from a rank that is not there went unnoticed";
  } catch (const CommunicationError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("collectives_test.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find("rank " + std::to_string(world.rank())), std::string::npos) << text;
    EXPECT_NE(text.find("root"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace nfold::comm
