// Moves of replicas between ranks by their times.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/replica_shares.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace nfold::ensemble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<ReplicaBalance::Rank> ranks(std::size_t count) {
  return std::vector<ReplicaBalance::Rank>(count);
}

/// Rebalances ranks with these seconds per replica-step `rounds` times; returns the last message.
std::string rebalance_repeatedly(ReplicaBalance& balance,
                                 const std::vector<double>& seconds_of_replica, int rounds,
                                 std::int64_t steps_left = 1'000'000) {
  std::string last_message;
  for (int k = 0; k < rounds; ++k) {
    std::vector<double> busy;
    const auto counts = balance.shares().counts();
    for (std::size_t rank = 0; rank < counts.size(); ++rank) {
      busy.push_back(1000 * seconds_of_replica[rank] * static_cast<double>(counts[rank]));
    }
    const auto message = balance.rebalance({busy, 1000, steps_left, 1});
    if (!message.empty()) last_message = message;
  }
  return last_message;
}

TEST(ReplicaShares, AreConsecutive) {
  const std::vector<std::int64_t> counts{3, 0, 2};
  const auto shares = to_shares(counts);
  EXPECT_EQ(shares.first_of(2), 3);
  EXPECT_EQ(shares.count_of(1), 0);
  EXPECT_THAT(shares.counts(), ElementsAre(3, 0, 2));
  EXPECT_EQ(shares.rank_of(2), 0);
  EXPECT_EQ(shares.rank_of(3), 2);
  EXPECT_EQ(shares.rank_of(4), 2);
}

TEST(ReplicaBalance, StaysEvenOnEqualRanks) {
  ReplicaBalance balance({}, ranks(3), 64, 0);
  EXPECT_THAT(balance.shares().counts(), UnorderedElementsAre(22, 21, 21));
  EXPECT_THAT(rebalance_repeatedly(balance, {1, 1.04, 0.97}, 20), IsEmpty());
}

TEST(ReplicaBalance, SlowedDeviceKeepsThird) {
  ReplicaBalance balance({}, ranks(2), 3000, 0);
  EXPECT_THAT(rebalance_repeatedly(balance, {1, 2}, 1), IsEmpty()) << "one look is no reason";
  const auto last_message = rebalance_repeatedly(balance, {1, 2}, 1);
  EXPECT_THAT(last_message, HasSubstr("from 1500 + 1500 to 2000 + 1000"));
  EXPECT_THAT(last_message, HasSubstr("expected 2e+06 ms"));
  EXPECT_THAT(rebalance_repeatedly(balance, {1, 2}, 20), IsEmpty());
  // The other load ends: the replicas return.
  EXPECT_THAT(rebalance_repeatedly(balance, {1, 1}, 4), HasSubstr("to 1500 + 1500"));
}

TEST(ReplicaBalance, RankWithOneReplicaCanRecover) {
  ReplicaBalance balance({}, ranks(2), 10, 0);
  (void)rebalance_repeatedly(balance, {1, 1000}, 4);
  EXPECT_THAT(balance.shares().counts(), ElementsAre(9, 1));
  (void)rebalance_repeatedly(balance, {1, 1}, 8);
  EXPECT_THAT(balance.shares().counts(), ElementsAre(5, 5));
}

TEST(ReplicaBalance, DoesNotMoveForLastSteps) {
  ReplicaBalance balance({}, ranks(2), 10, 0);
  EXPECT_THAT(rebalance_repeatedly(balance, {1e-3, 2e-3}, 10, 100), IsEmpty());
  EXPECT_THAT(rebalance_repeatedly(balance, {1e-3, 2e-3}, 2, 100'000), HasSubstr("replicas move"));
}

TEST(ReplicaBalance, MemoryLimitsFastRank) {
  auto by_rank = ranks(2);
  by_rank[0].memory_bytes = 6000;
  ReplicaBalance balance({}, by_rank, 10, 1000);
  (void)rebalance_repeatedly(balance, {1, 9}, 4);
  EXPECT_THAT(balance.shares().counts(), ElementsAre(6, 4));
}

TEST(ReplicaBalance, FillsGroups) {
  ReplicaBalance balance({}, ranks(2), 64, 0);
  std::vector<core::TimeStep> groups_of_16;
  for (int k = 1; k <= 4; ++k) groups_of_16.push_back({16 * k, 1.0 * k});
  balance.set_costs({groups_of_16, groups_of_16});
  // A fifth slower: a third group on the first rank would take longer than two on the second.
  EXPECT_THAT(rebalance_repeatedly(balance, {1, 1.2}, 10), IsEmpty());
  // Twice as slow: 48 and 16 fill their groups; 43 and 21 would start a group for five replicas.
  (void)rebalance_repeatedly(balance, {1, 2}, 2);
  EXPECT_THAT(balance.shares().counts(), ElementsAre(48, 16));
}

TEST(ReplicaBalance, UselessMovesBecomeRare) {
  ReplicaBalance balance({}, ranks(2), 1000, 0);
  int moves = 0;
  for (int k = 0; k < 200; ++k) {
    // The times do not depend on the shares, as with another program that comes and goes.
    const std::vector<double> busy{k / 4 % 2 == 0 ? 4.0 : 8.0, k / 4 % 2 == 0 ? 8.0 : 4.0};
    if (!balance.rebalance({busy, 1000, 1'000'000, 0.001}).empty()) ++moves;
  }
  EXPECT_GE(moves, 2);
  EXPECT_LE(moves, 20);
}

TEST(ReplicaBalance, FixedStrategiesNeverMove) {
  for (const auto strategy : {core::SplitStrategy::equal, core::SplitStrategy::score}) {
    ReplicaBalanceSettings settings;
    settings.strategy = strategy;
    auto two = ranks(2);
    two[0].score = 95;
    two[1].score = 80;
    ReplicaBalance balance(settings, two, 10'002, 0);
    const auto first = balance.shares().counts();
    EXPECT_EQ(first[0], strategy == core::SplitStrategy::equal ? 5001 : 5430);
    EXPECT_THAT(rebalance_repeatedly(balance, {1, 3}, 20), IsEmpty());
  }
}

}  // namespace
}  // namespace nfold::ensemble
