// Decisions when to repartition.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/rebalance.hpp"

#include <gtest/gtest.h>

#include <random>

#include "domain/space_partition.hpp"

namespace nfold::domain {
namespace {

std::vector<RankLoad> make_loads(const std::vector<double>& seconds) {
  std::vector<RankLoad> loads;
  loads.reserve(seconds.size());
  for (const double s : seconds) loads.push_back({s, 1000 * s, 0});
  return loads;
}

/// Number of repartitions requested if none of them improves the load.
int count_attempts(const std::vector<double>& seconds, double step_seconds, int assessments) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  int wanted = 0;
  for (int k = 0; k < assessments; ++k) {
    memory = assess_loads(settings, make_loads(seconds), step_seconds, memory);
    if (!memory.needs_repartition) continue;
    ++wanted;
    memory = tried(settings, memory, false);
  }
  return wanted;
}

TEST(LoadAssessment, IgnoresBalancedLoad) {
  EXPECT_EQ(count_attempts({1, 1, 1, 1}, 1.05, 100), 0);
  EXPECT_EQ(count_attempts({1, 0.97, 0.98, 0.96}, 1.05, 100), 0);
  EXPECT_EQ(count_attempts({1}, 1, 100), 0);
}

TEST(LoadAssessment, ReactsToIdleOrOverloadedRank) {
  EXPECT_GT(count_attempts({1, 0.9, 0.9, 0.4}, 1.05, 10), 0);
  EXPECT_GT(count_attempts({1, 0.6, 0.6, 0.6}, 1.05, 10), 0);
}

TEST(LoadAssessment, ReactsToPersistentImbalance) {
  EXPECT_EQ(count_attempts({1, 0.8, 0.75, 0.9}, 1.05, 7), 0);
  EXPECT_EQ(count_attempts({1, 0.8, 0.75, 0.9}, 1.05, 8), 1);
}

TEST(LoadAssessment, ReportsItsOutcome) {
  const RebalanceSettings settings;
  const auto outcome = [&](const std::vector<double>& seconds, double step_seconds, int assessments,
                           RebalanceMemory memory = {}) {
    for (int k = 0; k < assessments; ++k) {
      memory = assess_loads(settings, make_loads(seconds), step_seconds, memory);
    }
    return memory.outcome;
  };
  EXPECT_EQ(outcome({1, 0.97}, 1.05, 1), RebalanceOutcome::balanced);
  EXPECT_EQ(outcome({1, 0.8, 0.75, 0.9}, 1.05, 7), RebalanceOutcome::below_threshold);
  EXPECT_EQ(outcome({1, 0.8, 0.75, 0.9}, 1.05, 8), RebalanceOutcome::requested);
  EXPECT_EQ(outcome({1, 0.4}, 1.05, 1), RebalanceOutcome::waiting);
  EXPECT_EQ(outcome({1, 0.4}, 1.05, 2), RebalanceOutcome::requested);
  EXPECT_EQ(outcome({0.4, 0.1}, 1, 5), RebalanceOutcome::bound_by_communication);
  EXPECT_EQ(outcome({1, 0.4}, 1.05, 1, tried(settings, {}, false)), RebalanceOutcome::resting);
}

TEST(LoadAssessment, IsAlertBeforeAttempt) {
  const RebalanceSettings settings;
  const auto after = [&](int assessments, const std::vector<double>& seconds) {
    RebalanceMemory memory;
    for (int k = 0; k < assessments; ++k)
      memory = assess_loads(settings, make_loads(seconds), 1.05, memory);
    return memory;
  };
  EXPECT_FALSE(is_alert(settings, after(1, {1, 0.97, 0.98, 0.96})));
  EXPECT_TRUE(is_alert(settings, after(1, {1, 0.4})));
  EXPECT_TRUE(is_alert(settings, after(1, {1, 0.8, 0.75, 0.9})));
  EXPECT_TRUE(is_alert(settings, after(8, {1, 0.8, 0.75, 0.9})));
  EXPECT_FALSE(is_alert(settings, after(9, {1, 0.8, 0.75, 0.9})));  // gain too small for an attempt
  EXPECT_TRUE(is_alert(settings, tried(settings, after(8, {1, 0.8}), true)));
  EXPECT_FALSE(is_alert(settings, tried(settings, after(8, {1, 0.8}), false)));
}

TEST(LoadAssessment, RepeatsUntilLoadIsBalanced) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  for (int k = 0; k < settings.patience; ++k) {
    EXPECT_FALSE(memory.needs_repartition);
    memory = assess_loads(settings, make_loads({1, 0.4}), 1.05, memory);
  }
  EXPECT_TRUE(memory.needs_repartition);
  memory = tried(settings, memory, true);
  memory = assess_loads(settings, make_loads({1, 0.8}), 1.05, memory);
  EXPECT_TRUE(memory.needs_repartition);  // without patience
  memory = tried(settings, memory, true);
  memory = assess_loads(settings, make_loads({1, 0.97}), 1.05, memory);
  EXPECT_FALSE(memory.needs_repartition);
  // After a balanced load a later imbalance waits again.
  memory = assess_loads(settings, make_loads({1, 0.8}), 1.05, memory);
  EXPECT_FALSE(memory.needs_repartition);
}

TEST(LoadAssessment, RestsIfRepartitionsDoNotHelp) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  int repartitions = 0;
  for (int k = 0; k < 300; ++k) {
    memory = assess_loads(settings, make_loads({1, 0.8}), 1.05, memory);
    if (!memory.needs_repartition) continue;
    ++repartitions;
    memory = tried(settings, memory, true);
  }
  EXPECT_LT(repartitions, 100);
  EXPECT_GE(memory.next_rest, 1);
}

TEST(LoadAssessment, IgnoresImbalanceHiddenByCommunication) {
  EXPECT_EQ(count_attempts({0.4, 0.1, 0.1, 0.1}, 1, 100), 0);
  EXPECT_GT(count_attempts({0.7, 0.1, 0.1, 0.1}, 1, 100), 0);  // the step would take 0.55
  EXPECT_EQ(count_attempts({0.7, 0.6, 0.6, 0.6}, 1, 100), 0);  // little to gain
}

TEST(LoadAssessment, ContinuesAfterOneDelayedInterval) {
  const RebalanceSettings settings;
  const auto after_repartition = [&] {
    RebalanceMemory memory;
    while (!memory.needs_repartition)
      memory = assess_loads(settings, make_loads({1, 0.4}), 1.05, memory);
    return tried(settings, memory, true);
  };
  auto memory = assess_loads(settings, make_loads({1, 0.7}), 2.5, after_repartition());
  EXPECT_FALSE(memory.needs_repartition) << "steps wait for something else";
  EXPECT_TRUE(assess_loads(settings, make_loads({1, 0.7}), 1.05, memory).needs_repartition);
  memory = assess_loads(settings, make_loads({1, 0.7}), 2.5, memory);
  EXPECT_FALSE(assess_loads(settings, make_loads({1, 0.7}), 1.05, memory).needs_repartition)
      << "twice in a row";
}

TEST(LoadAssessment, IgnoresSingleSpikes) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  for (int k = 0; k < 50; ++k) {
    const bool is_spike = k % 2 == 1;
    memory = assess_loads(settings, make_loads({is_spike ? 2.0 : 1.0, 1, 1, 1}),
                          is_spike ? 2.05 : 1.05, memory);
    EXPECT_FALSE(memory.needs_repartition) << k;
  }
}

TEST(LoadAssessment, RestsLongerAfterEachFailedAttempt) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  std::vector<int> attempted_at;
  for (int k = 0; k < 300; ++k) {
    memory = assess_loads(settings, make_loads({1, 0.2}), 1.05, memory);
    if (!memory.needs_repartition) continue;
    attempted_at.push_back(k);
    memory = tried(settings, memory, false);
  }
  ASSERT_GT(attempted_at.size(), 6U);
  for (std::size_t k = 2; k < attempted_at.size(); ++k) {
    EXPECT_GE(attempted_at[k] - attempted_at[k - 1], attempted_at[k - 1] - attempted_at[k - 2]);
    EXPECT_LE(attempted_at[k] - attempted_at[k - 1], settings.longest_rest + settings.patience);
  }
  EXPECT_GT(attempted_at[6] - attempted_at[5], 20);
  // A balanced load ends the long rests; a load slightly below the threshold does not.
  const auto still_uneven = assess_loads(settings, make_loads({1, 0.7, 0.7}), 1.05, memory);
  EXPECT_EQ(still_uneven.next_rest, memory.next_rest);
  EXPECT_EQ(assess_loads(settings, make_loads({1, 0.95, 0.95}), 1.05, memory).next_rest, 1);
}

TEST(Weigh, EstimatesStepFromSpeedOfEachRank) {
  // The first rank is half as fast as the second; 0.1 s of each step is no computation.
  const std::vector<RankLoad> loads{{2.0, 1000, 0}, {1.0, 1000, 0}};
  const auto estimate = weigh({}, loads, 2.1, {{500, 1500}, {0, 0}, 1, 100});
  EXPECT_NEAR(estimate.step_seconds, 0.1 + 1.5, 1e-12);
  EXPECT_TRUE(estimate.pays);
  EXPECT_NEAR(estimate.gain_seconds, 50, 1e-9);
  EXPECT_NEAR(estimate.balance, 1.25 / 1.5, 1e-12);
}

TEST(Weigh, RejectsCostlyRepartition) {
  const std::vector<RankLoad> loads{{2.0, 2000, 0}, {1.0, 1000, 0}};
  const auto pays = [&](const Candidate& candidate) {
    return weigh({}, loads, 2.1, candidate).pays;
  };
  EXPECT_TRUE(
      pays({{1500, 1500}, {0, 0}, 1, 4}));  // gain of 0.5 s a step over four steps, cost of 1 s
  EXPECT_FALSE(pays({{1500, 1500}, {0, 0}, 1, 2}));  // gain below the margin
  EXPECT_FALSE(pays({{2000, 1000}, {0, 0}, 0, 100}));
  // Ghosts cost as much as the balanced work gains.
  EXPECT_FALSE(pays({{1500, 1500}, {200, 200}, 1, 1000}));
}

TEST(Weigh, AssumesMeanSpeedForIdleRank) {
  const std::vector<RankLoad> loads{{2.0, 2000, 0}, {1e-5, 0, 0}};
  EXPECT_NEAR(weigh({}, loads, 2.0, {{1000, 1000}, {0, 0}, 1, 10}).step_seconds, 1.0, 1e-4);
}

TEST(Speeds, AreWorkOverTimeOfBusyRanks) {
  EXPECT_TRUE(rank_speeds(std::vector<RankLoad>{{0, 0, 0}, {0, 0, 0}}).empty());
  const auto speed = rank_speeds(std::vector<RankLoad>{{2.0, 1000, 0}, {1.0, 1000, 0}, {0, 0, 0}});
  ASSERT_EQ(speed.size(), 3U);
  EXPECT_NEAR(speed[1] / speed[0], 2.0, 1e-12);
  EXPECT_NEAR(speed[2] / speed[0], 4.0 / 3.0, 1e-12);  // not measured: 2000 in 3 s
  // Work in proportion to these speeds has equal estimated times.
  const Candidate even{{1000, 2000}, {0, 0}, 0, 1};
  const std::vector<RankLoad> loads{{2.0, 1000, 0}, {1.0, 1000, 0}};
  EXPECT_NEAR(weigh({}, loads, 2.0, even).step_seconds, 2.0, 1e-12);
}

TEST(Speeds, AreCorrectedByEstimatedSeconds) {
  const auto speed = correct_speeds({1, 1}, std::vector<double>{3, 1});
  EXPECT_NEAR(speed[1] / speed[0], 3, 1e-12);
}

TEST(LoadBalance, IsMeanOverLargest) {
  EXPECT_NEAR(load_balance(make_loads({1, 0.5})), 0.75, 1e-12);
  EXPECT_EQ(load_balance(make_loads({0, 0})), 1);
}

TEST(Weigh, RefusesMismatchedCounts) {
  EXPECT_THROW((void)weigh({}, make_loads({1, 1}), 1, {{1}, {0, 0}, 0, 1}), std::invalid_argument);
  EXPECT_THROW((void)weigh({}, {}, 1, {{}, {}, 0, 1}), std::invalid_argument);
}

/// Residues of one half of the box condense into a droplet, those of the other half stay vapour.
/// done: progress from 0 to 1.
std::vector<system::FixedPosition> condensing_positions(const system::Box& box, double done) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> fraction(0, 1);
  std::vector<system::FixedPosition> positions(1500);
  for (auto& x : positions) {
    const std::array<double, 3> from{fraction(random), fraction(random), fraction(random)};
    for (std::size_t k = 0; k < 3; ++k) {
      const double to = from[0] < 0.5 ? 0.3 + 0.2 * fraction(random) : from[k];
      x[k] = box.to_counts(k, box.length_nm[k] * (from[k] + done * (to - from[k])));
    }
  }
  return positions;
}

TEST(Repartition, FollowsFormingDropletInFewAttempts) {
  constexpr int ranks = 4, assessments = 70;
  const std::vector<double> speed{1, 1, 0.6, 1};  // one slow rank
  topology::Topology topology;
  topology.residues.items().resize(1500);
  topology.box = {{24, 24, 24}};
  topology.short_range.cutoff_nm = 2;
  const RebalanceSettings settings;
  RebalanceMemory memory;
  auto positions = condensing_positions(topology.box, 0);
  auto owner = recursive_bisection(topology.box, positions, counted_work(topology), ranks);
  int repartitions = 0;
  double largest = 0;
  for (int k = 0; k < assessments; ++k) {
    positions = condensing_positions(topology.box, std::min(k / 60.0, 1.0));
    const auto work = counted_work(topology, positions, 0.2);
    const auto share = rank_loads(work, owner, ranks);
    std::vector<RankLoad> loads;
    double step_seconds = 0, mean = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      loads.push_back({1e-6 * share[rank] / speed[rank], share[rank], 0});
      step_seconds = std::max(step_seconds, 1.05 * loads.back().busy_seconds);
      mean += loads.back().busy_seconds / ranks;
    }
    largest = step_seconds / mean;
    memory = assess_loads(settings, loads, step_seconds, memory);
    if (!memory.needs_repartition) continue;
    const auto next = recursive_bisection(topology.box, positions, work, ranks, rank_speeds(loads));
    const Candidate candidate{rank_loads(work, next, ranks), std::vector<std::int64_t>(ranks, 0),
                              0.5, 10000};
    const bool pays = weigh(settings, loads, step_seconds, candidate).pays;
    if (pays) {
      owner = next;
      ++repartitions;
    }
    memory = tried(settings, memory, pays);
  }
  EXPECT_GE(repartitions, 2);
  EXPECT_LE(repartitions, 12);
  EXPECT_LT(largest, 1.2);
}

TEST(ResidueCapacity, NamesOverfullRankIfOthersHaveHeadroom) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  const std::int64_t roomy = residue_capacity(1000, 30 * gib, 50 * gib);
  EXPECT_GT(roomy, 2000);
  const std::int64_t full = residue_capacity(1000, 79 * gib, gib / 2);
  EXPECT_LT(full, 1000);
  EXPECT_GE(full, 950);
  const std::vector<std::int64_t> residues{1000, 1000, 1000};
  EXPECT_EQ(overfull_rank(residues, std::vector<std::int64_t>{roomy, roomy, roomy}), -1);
  EXPECT_EQ(overfull_rank(residues, std::vector<std::int64_t>{roomy, full, roomy}), 1);
  EXPECT_EQ(overfull_rank(residues, std::vector<std::int64_t>{full, full, full}), -1)
      << "a move would help nobody";
}

}  // namespace
}  // namespace nfold::domain
