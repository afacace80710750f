// When a new partition is wanted, and when it pays.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/rebalance.hpp"

#include <gtest/gtest.h>

#include <random>

#include "domain/space_partition.hpp"

namespace nfold::domain {
namespace {

std::vector<RankLoad> busy(const std::vector<double>& seconds) {
  std::vector<RankLoad> loads;
  loads.reserve(seconds.size());
  for (const double s : seconds) loads.push_back({s, 1000 * s, 0});
  return loads;
}

/// How often a partition was wanted; each one is tried, and nothing changes.
int attempts(const std::vector<double>& seconds, double step_seconds, int assessments) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  int wanted = 0;
  for (int k = 0; k < assessments; ++k) {
    memory = watch(settings, busy(seconds), step_seconds, memory);
    if (!memory.wants_partition) continue;
    ++wanted;
    memory = tried(settings, memory, false);
  }
  return wanted;
}

TEST(Watch, LeavesAnEvenLoadAlone) {
  EXPECT_EQ(attempts({1, 1, 1, 1}, 1.05, 100), 0);
  EXPECT_EQ(attempts({1, 0.97, 0.98, 0.96}, 1.05, 100), 0);
  EXPECT_EQ(attempts({1}, 1, 100), 0);
}

TEST(Watch, WantsAPartitionForAColdRankOrAHotOneAboveTheMean) {
  EXPECT_GT(attempts({1, 0.9, 0.9, 0.4}, 1.05, 10), 0);
  EXPECT_GT(attempts({1, 0.6, 0.6, 0.6}, 1.05, 10), 0);
}

TEST(Watch, MendsALoadThatStaysAskewAfterAWhile) {
  EXPECT_EQ(attempts({1, 0.8, 0.75, 0.9}, 1.05, 7), 0);
  EXPECT_EQ(attempts({1, 0.8, 0.75, 0.9}, 1.05, 8), 1);
}

TEST(Watch, LooksOftenWhileAnAttemptMayBeNear) {
  const RebalanceSettings settings;
  const auto after = [&](int assessments, const std::vector<double>& seconds) {
    RebalanceMemory memory;
    for (int k = 0; k < assessments; ++k) memory = watch(settings, busy(seconds), 1.05, memory);
    return memory;
  };
  EXPECT_FALSE(is_alert(settings, after(1, {1, 0.97, 0.98, 0.96})));
  EXPECT_TRUE(is_alert(settings, after(1, {1, 0.4})));
  EXPECT_TRUE(is_alert(settings, after(1, {1, 0.8, 0.75, 0.9})));
  EXPECT_TRUE(is_alert(settings, after(8, {1, 0.8, 0.75, 0.9})));
  EXPECT_FALSE(is_alert(settings, after(9, {1, 0.8, 0.75, 0.9})));  // was not worth an attempt
  EXPECT_TRUE(is_alert(settings, tried(settings, after(8, {1, 0.8}), true)));
  EXPECT_FALSE(is_alert(settings, tried(settings, after(8, {1, 0.8}), false)));
}

TEST(Watch, GoesOnUntilTheLoadIsEvenAfterAMove) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  for (int k = 0; k < settings.patience; ++k) {
    EXPECT_FALSE(memory.wants_partition);
    memory = watch(settings, busy({1, 0.4}), 1.05, memory);
  }
  EXPECT_TRUE(memory.wants_partition);
  memory = tried(settings, memory, true);
  memory = watch(settings, busy({1, 0.8}), 1.05, memory);
  EXPECT_TRUE(memory.wants_partition);  // at once
  memory = tried(settings, memory, true);
  memory = watch(settings, busy({1, 0.97}), 1.05, memory);
  EXPECT_FALSE(memory.wants_partition);
  // Even once: what is askew later waits again.
  memory = watch(settings, busy({1, 0.8}), 1.05, memory);
  EXPECT_FALSE(memory.wants_partition);
}

TEST(Watch, RestsWhereMovesDoNotMakeItEven) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  int moves = 0;
  for (int k = 0; k < 300; ++k) {
    memory = watch(settings, busy({1, 0.8}), 1.05, memory);
    if (!memory.wants_partition) continue;
    ++moves;
    memory = tried(settings, memory, true);
  }
  EXPECT_LT(moves, 100);
  EXPECT_GE(memory.next_rest, 1);
}

TEST(Watch, DoesNotMoveWorkWhereCommunicationBoundsTheStep) {
  EXPECT_EQ(attempts({0.4, 0.1, 0.1, 0.1}, 1, 100), 0);
  EXPECT_GT(attempts({0.7, 0.1, 0.1, 0.1}, 1, 100), 0);  // the step would be 0.55
  EXPECT_EQ(attempts({0.7, 0.6, 0.6, 0.6}, 1, 100), 0);  // little to gain
}

TEST(Watch, GoesOnMendingAfterOneIntervalThatWaited) {
  const RebalanceSettings settings;
  const auto after_a_move = [&] {
    RebalanceMemory memory;
    while (!memory.wants_partition) memory = watch(settings, busy({1, 0.4}), 1.05, memory);
    return tried(settings, memory, true);
  };
  auto memory = watch(settings, busy({1, 0.7}), 2.5, after_a_move());
  EXPECT_FALSE(memory.wants_partition) << "steps wait for something else";
  EXPECT_TRUE(watch(settings, busy({1, 0.7}), 1.05, memory).wants_partition);
  memory = watch(settings, busy({1, 0.7}), 2.5, memory);
  EXPECT_FALSE(watch(settings, busy({1, 0.7}), 1.05, memory).wants_partition) << "twice in a row";
}

TEST(Watch, TakesNoSingleSpikeForALoad) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  for (int k = 0; k < 50; ++k) {
    const bool is_spike = k % 2 == 1;
    memory = watch(settings, busy({is_spike ? 2.0 : 1.0, 1, 1, 1}), is_spike ? 2.05 : 1.05, memory);
    EXPECT_FALSE(memory.wants_partition) << k;
  }
}

TEST(Watch, RestsLongerAfterEachAttemptThatDidNotHelp) {
  const RebalanceSettings settings;
  RebalanceMemory memory;
  std::vector<int> when;
  for (int k = 0; k < 300; ++k) {
    memory = watch(settings, busy({1, 0.2}), 1.05, memory);
    if (!memory.wants_partition) continue;
    when.push_back(k);
    memory = tried(settings, memory, false);
  }
  ASSERT_GT(when.size(), 6U);
  for (std::size_t k = 2; k < when.size(); ++k) {
    EXPECT_GE(when[k] - when[k - 1], when[k - 1] - when[k - 2]);
    EXPECT_LE(when[k] - when[k - 1], settings.longest_rest + settings.patience);
  }
  EXPECT_GT(when[6] - when[5], 20);
  // An even load ends the long rests, one that hovers below the threshold does not.
  const auto hovering = watch(settings, busy({1, 0.7, 0.7}), 1.05, memory);
  EXPECT_EQ(hovering.next_rest, memory.next_rest);
  EXPECT_EQ(watch(settings, busy({1, 0.95, 0.95}), 1.05, memory).next_rest, 1);
}

TEST(Weigh, PredictsTheSlowestRankFromEachOnesOwnSpeed) {
  // The first rank is half as fast as the second one; 0.1 s of each step are not computing.
  const std::vector<RankLoad> loads{{2.0, 1000, 0}, {1.0, 1000, 0}};
  const auto verdict = weigh({}, loads, 2.1, {{500, 1500}, {0, 0}, 1, 100});
  EXPECT_NEAR(verdict.step_seconds, 0.1 + 1.5, 1e-12);
  EXPECT_TRUE(verdict.pays);
  EXPECT_NEAR(verdict.gain_seconds, 50, 1e-9);
  EXPECT_NEAR(verdict.balance, 1.25 / 1.5, 1e-12);
}

TEST(Weigh, RefusesWhatCostsMoreThanItBrings) {
  const std::vector<RankLoad> loads{{2.0, 2000, 0}, {1.0, 1000, 0}};
  const auto pays = [&](const Candidate& candidate) {
    return weigh({}, loads, 2.1, candidate).pays;
  };
  EXPECT_TRUE(pays({{1500, 1500}, {0, 0}, 1, 4}));   // 0.5 s a step, four steps, a move of 1 s
  EXPECT_FALSE(pays({{1500, 1500}, {0, 0}, 1, 2}));  // not by the margin
  EXPECT_FALSE(pays({{2000, 1000}, {0, 0}, 0, 100}));
  // What it evens out it loses again to the ghosts.
  EXPECT_FALSE(pays({{1500, 1500}, {200, 200}, 1, 1000}));
}

TEST(Weigh, GivesAnIdleRankTheMeanSpeed) {
  const std::vector<RankLoad> loads{{2.0, 2000, 0}, {1e-5, 0, 0}};
  EXPECT_NEAR(weigh({}, loads, 2.0, {{1000, 1000}, {0, 0}, 1, 10}).step_seconds, 1.0, 1e-4);
}

TEST(Speeds, AreWorkOverTimeOfWhoHasWork) {
  EXPECT_TRUE(speeds_of(std::vector<RankLoad>{{0, 0, 0}, {0, 0, 0}}).empty());
  const auto speed = speeds_of(std::vector<RankLoad>{{2.0, 1000, 0}, {1.0, 1000, 0}, {0, 0, 0}});
  ASSERT_EQ(speed.size(), 3U);
  EXPECT_NEAR(speed[1] / speed[0], 2.0, 1e-12);
  EXPECT_NEAR(speed[2] / speed[0], 4.0 / 3.0, 1e-12);  // nothing measured: 2000 in 3 s
  // Shares by these speeds are predicted to take equal times.
  const Candidate even{{1000, 2000}, {0, 0}, 0, 1};
  const std::vector<RankLoad> loads{{2.0, 1000, 0}, {1.0, 1000, 0}};
  EXPECT_NEAR(weigh({}, loads, 2.0, even).step_seconds, 2.0, 1e-12);
}

TEST(Speeds, AreCorrectedByWhatAMapWouldGive) {
  const auto speed = corrected({1, 1}, std::vector<double>{3, 1});
  EXPECT_NEAR(speed[1] / speed[0], 3, 1e-12);
}

TEST(Balance, IsMeanOverMost) {
  EXPECT_NEAR(balance_of(busy({1, 0.5})), 0.75, 1e-12);
  EXPECT_EQ(balance_of(busy({0, 0})), 1);
}

TEST(Weigh, RefusesCountsThatDoNotFit) {
  EXPECT_THROW((void)weigh({}, busy({1, 1}), 1, {{1}, {0, 0}, 0, 1}), std::invalid_argument);
  EXPECT_THROW((void)weigh({}, {}, 1, {{}, {}, 0, 1}), std::invalid_argument);
}

/// The residues of one half of the box gather into a droplet, those of the other half stay vapour.
std::vector<system::FixedPosition> gathering(const system::Box& box, double done) {
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

TEST(Rebalancing, FollowsADropletThatFormsInFewMoves) {
  constexpr int ranks = 4, assessments = 70;
  const std::vector<double> speed{1, 1, 0.6, 1};  // one slow rank
  topology::Topology topology;
  topology.residues.items().resize(1500);
  topology.box = {{24, 24, 24}};
  topology.short_range.cutoff_nm = 2;
  const RebalanceSettings settings;
  RebalanceMemory memory;
  auto positions = gathering(topology.box, 0);
  auto owner = recursive_bisection(topology.box, positions, counted_work(topology), ranks);
  int moves = 0;
  double largest = 0;
  for (int k = 0; k < assessments; ++k) {
    positions = gathering(topology.box, std::min(k / 60.0, 1.0));
    const auto work = counted_work(topology, positions, 0.2);
    const auto share = loads_of(work, owner, ranks);
    std::vector<RankLoad> loads;
    double step_seconds = 0, mean = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      loads.push_back({1e-6 * share[rank] / speed[rank], share[rank], 0});
      step_seconds = std::max(step_seconds, 1.05 * loads.back().busy_seconds);
      mean += loads.back().busy_seconds / ranks;
    }
    largest = step_seconds / mean;
    memory = watch(settings, loads, step_seconds, memory);
    if (!memory.wants_partition) continue;
    const auto next = recursive_bisection(topology.box, positions, work, ranks, speeds_of(loads));
    const Candidate candidate{loads_of(work, next, ranks), std::vector<std::int64_t>(ranks, 0), 0.5,
                              10000};
    const bool pays = weigh(settings, loads, step_seconds, candidate).pays;
    if (pays) {
      owner = next;
      ++moves;
    }
    memory = tried(settings, memory, pays);
  }
  EXPECT_GE(moves, 2);
  EXPECT_LE(moves, 12);
  EXPECT_LT(largest, 1.2);
}

/// Posed reports of three ranks.
TEST(Memory, ARankThatIsFullIsNamedWhileOthersHaveRoom) {
  constexpr std::int64_t gib = std::int64_t{1} << 30;
  const std::int64_t roomy = most_residues(1000, 30 * gib, 50 * gib);
  EXPECT_GT(roomy, 2000);
  const std::int64_t full = most_residues(1000, 79 * gib, gib / 2);
  EXPECT_LT(full, 1000);
  EXPECT_GE(full, 950);
  const std::vector<std::int64_t> residues{1000, 1000, 1000};
  EXPECT_EQ(short_of_memory(residues, std::vector<std::int64_t>{roomy, roomy, roomy}), -1);
  EXPECT_EQ(short_of_memory(residues, std::vector<std::int64_t>{roomy, full, roomy}), 1);
  EXPECT_EQ(short_of_memory(residues, std::vector<std::int64_t>{full, full, full}), -1)
      << "a move would help nobody";
}

}  // namespace
}  // namespace nfold::domain
