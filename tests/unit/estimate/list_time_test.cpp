// Time of a list of targets on ranks that work on several at once.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/list_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "estimate/layouts.hpp"

namespace nfold::estimate {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int max_concurrent = 16;  // limit of nfold batch

const Machine& h200() {
  static const auto machine = builtin_machine("h200");
  return machine;
}

ListedTarget listed(const TargetWork& work, bool on_gpu = true) {
  return listed_target(h200(), on_gpu, work, work_seconds(h200(), {1, 1, on_gpu}, work, 1));
}

double serial_seconds(const std::vector<ListedTarget>& targets) {
  return std::accumulate(targets.begin(), targets.end(), 0.0, [](double sum, const auto& target) {
    return sum + target.seconds.alone();
  });
}

/// Folding target: a scan, a ladder and kinetics.
TargetWork folding(std::int64_t residues, std::int64_t terms, const TargetPart& scan,
                   TargetPart ladder, const TargetPart& kinetics) {
  ladder.counts_contacts = true;
  TargetWork work{residues, terms, true, true, {scan, ladder, kinetics}};
  work.repulsion_nm = 1.1;
  return work;
}

/// Parts of 100 chains and parts of chains with --budget 1, 2026-11-26.
std::vector<ListedTarget> hundred_targets() {
  struct Row {
    int targets;
    std::int64_t residues, terms, replicas, steps, energy_gathers,
        temperatures;  // from `replicas` on: the ladder
  };
  const std::vector<Row> rows{
      {5, 51, 271, 1056, 31000, 62, 12}, {5, 58, 227, 1056, 33000, 66, 12},
      {5, 70, 346, 120, 49500, 99, 12},  {5, 67, 330, 144, 45500, 91, 12},
      {5, 71, 428, 72, 55500, 111, 12},  {5, 76, 412, 48, 67500, 135, 12},
      {5, 98, 563, 16, 54000, 108, 8},   {5, 99, 546, 16, 58500, 117, 8},
      {5, 106, 502, 18, 68500, 137, 9},  {5, 115, 568, 18, 46500, 93, 9},
      {5, 128, 770, 20, 20500, 41, 10},  {5, 186, 1162, 24, 20000, 40, 12},
      {4, 187, 1067, 24, 20000, 40, 12}, {4, 211, 1317, 24, 20000, 40, 12},
      {4, 222, 1509, 26, 20000, 40, 13}, {4, 232, 1179, 26, 20000, 40, 13},
      {4, 237, 1623, 28, 20000, 40, 14}, {4, 274, 1484, 28, 20000, 40, 14},
      {4, 329, 2022, 32, 20000, 40, 16}, {4, 339, 2226, 32, 20000, 40, 16},
      {1, 571, 3460, 42, 20000, 40, 21}, {1, 629, 3824, 44, 20000, 40, 22},
      {1, 699, 4322, 48, 20000, 40, 24}, {1, 566, 3298, 42, 20000, 40, 21},
      {1, 416, 2661, 36, 20000, 40, 18}, {1, 490, 3166, 40, 20000, 40, 20},
      {1, 613, 3710, 44, 20000, 40, 22}, {1, 506, 2725, 40, 20000, 40, 20},
  };
  std::vector<ListedTarget> targets;
  for (const auto& row : rows) {
    const auto one = listed(
        folding(row.residues, row.terms, {12, 20000, 40, 40, 12},
                {row.replicas, row.steps, row.energy_gathers, row.energy_gathers, row.temperatures},
                {4, 20000, 40, 40, 1}));
    targets.insert(targets.end(), static_cast<std::size_t>(row.targets), one);
  }
  return targets;
}

// Measured by nfold batch on one and four H200, including the start of the job, which a plan adds.
TEST(ListTime, MatchesHundredTargetsOnH200s) {
  constexpr double start = 3;
  const auto targets = hundred_targets();
  ASSERT_EQ(targets.size(), 100);
  const ListTime list(targets, max_concurrent);
  EXPECT_NEAR((list.on(1).seconds + start) / 23, 1, 0.25);
  EXPECT_NEAR((list.on(4).seconds + start) / 9, 1, 0.25);
  EXPECT_TRUE(list.on(1).is_concurrent);
  EXPECT_TRUE(list.on(1).waits_for_host);
  EXPECT_LT(list.on(1).steps, 0.1 * list.on(1).seconds);
  EXPECT_GT(serial_seconds(targets), 2 * list.on(1).seconds);
  EXPECT_NEAR(ListTime(targets, 1).on(1).seconds, serial_seconds(targets), 1e-9);
}

TEST(ListTime, IsStepTimeIfReplicasFillGpu) {
  const auto one = listed(folding(128, 770, {528, 230'500, 461, 461, 24},
                                  {510, 2'648'000, 5296, 431, 15}, {528, 752'000, 367, 367, 1}));
  EXPECT_DOUBLE_EQ(one.capacity_share, 0.5);
  EXPECT_NEAR(one.device, one.seconds.alone() - one.overhead, 1e-9);
  const auto list = ListTime(std::vector<ListedTarget>(20, one), max_concurrent).on(1);
  EXPECT_NEAR(list.seconds, 20 * one.device + one.overhead, 1e-6);
  EXPECT_FALSE(list.waits_for_host);
  EXPECT_NEAR(list.steps, list.seconds, 1e-9 * list.seconds) << "overhead overlaps with them";
}

TEST(ListTime, IsLimitedByConcurrentCapacity) {
  const auto one = listed({76, 486, true, true, {{66, 10'000'000}}});
  ASSERT_DOUBLE_EQ(one.capacity_share, 0.25) << "half of a GPU, and two of them are filled";
  const std::vector<ListedTarget> forty(40, one);
  const double four_at_once = ListTime(forty, max_concurrent).on(1).seconds;
  EXPECT_DOUBLE_EQ(ListTime(forty, 4).on(1).seconds, four_at_once);
  EXPECT_GT(ListTime(forty, 1).on(1).seconds, 1.9 * four_at_once);
  EXPECT_GT(four_at_once, 20 * one.device) << "half of the processor each";
}

TEST(ListTime, OneTargetTakesItsOwnTime) {
  const auto one = listed(
      folding(76, 412, {12, 20000, 40, 40, 12}, {48, 67500, 135, 135, 12}, {4, 20000, 40, 40, 1}));
  EXPECT_DOUBLE_EQ(ListTime({one}, max_concurrent).on(1).seconds, one.seconds.alone());
}

TEST(ListTime, EnginesAddUp) {
  const auto one = listed({76, 486, true, false, {{1, 1'000'000}}});
  EXPECT_FALSE(one.may_run_concurrently);
  const auto list = ListTime({one, one, one}, max_concurrent).on(1);
  EXPECT_DOUBLE_EQ(list.seconds, 3 * one.seconds.alone());
  EXPECT_FALSE(list.is_concurrent);
}

TEST(ListTime, ConcurrentAndSerialTargetsAddUp) {
  const auto small = listed({76, 486, true, true, {{12, 1'000'000}}});
  const auto engine = listed({76, 486, true, false, {{1, 1'000'000}}});
  const double together = ListTime({small, small, small}, max_concurrent).on(1).seconds;
  EXPECT_LT(together, 0.9 * 3 * small.seconds.alone());
  EXPECT_NEAR(ListTime({small, engine, small, small}, max_concurrent).on(1).seconds,
              together + engine.seconds.alone(), 1e-9);
}

// Measured by nfold batch: twelve ensembles of four replicas on one and two cores of an AMD EPYC,
// 2026-11-26, mean of one target at once and of 16.
TEST(ListTime, MatchesTwelveEnsemblesOnCores) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> residues_and_terms{
      {51, 271}, {58, 227}, {70, 346},  {67, 330},  {71, 428},  {76, 412},
      {98, 563}, {99, 546}, {106, 502}, {115, 568}, {128, 770}, {186, 1162}};
  std::vector<ListedTarget> targets;
  for (const auto& [residues, terms] : residues_and_terms) {
    TargetWork work{residues, terms, true, true, {{4, 20'000, 40, 40, 4, true}}};
    work.repulsion_nm = 1.1;
    targets.push_back(listed(work, false));
  }
  for (const int at_once : {1, max_concurrent}) {
    const ListTime list(targets, at_once);
    EXPECT_NEAR(list.on(1).seconds / 18.6, 1, 0.25);
    EXPECT_NEAR(list.on(2).seconds / 10.3, 1, 0.25);
    EXPECT_FALSE(list.on(1).is_concurrent);
  }
}

TEST(ListTime, CoresRunTargetsSerially) {
  const auto one = listed({76, 486, true, true, {{4, 20'000, 40, 40, 4}}}, false);
  EXPECT_TRUE(one.may_run_concurrently);
  EXPECT_DOUBLE_EQ(one.capacity_share, 1);
  const std::vector<ListedTarget> three(3, one);
  for (const int at_once : {1, max_concurrent}) {
    EXPECT_NEAR(ListTime(three, at_once).on(1).seconds, 3 * one.seconds.alone(), 1e-9);
    EXPECT_NEAR(ListTime(three, at_once).on(2).seconds, 2 * one.seconds.alone(), 1e-9)
        << "of two ranks one does two";
    EXPECT_FALSE(ListTime(three, at_once).on(1).is_concurrent);
  }
}

TEST(ListTime, GivesLargeTargetSeveralRanks) {
  const TargetWork work{76, 486, true, true, {{1056, 50'000'000}}};
  auto large = listed(work);
  const auto small = listed({76, 486, true, true, {{1056, 500'000}}});
  std::vector<ListedTarget> targets(4, small);
  targets.push_back(large);
  EXPECT_GT(ListTime(targets, max_concurrent).on(4).seconds, 0.9 * large.seconds.alone())
      << "of one rank, as long as nobody says otherwise";
  targets.back().seconds = SecondsByRanks(usable_ranks(work, 4), [&](int ranks) {
    return work_seconds(h200(), {1, 1, true}, work, ranks).all();
  });
  const double shared = ListTime(targets, max_concurrent).on(4).seconds;
  EXPECT_LT(shared, 0.77 * large.seconds.alone());
  EXPECT_GE(shared, targets.back().seconds.on(4)) << "fewer replicas fill a GPU less";
  EXPECT_LE(shared, 1.02 * targets.back().seconds.on(4) + small.seconds.alone())
      << "and one each beside";
}

/// Target with ideal scaling over at most `most` ranks, which runs alone on them.
ListedTarget ideal(double alone, int most = 1000) {
  ListedTarget target;
  target.seconds = SecondsByRanks(most, [=](int ranks) { return alone / ranks; });
  return target;
}
/// Target that takes as long on several ranks as on one.
ListedTarget useless(double alone) {
  ListedTarget target;
  target.seconds = SecondsByRanks(1000, [=](int /*ranks*/) { return alone; });
  return target;
}
std::vector<int> shares(std::vector<ListedTarget> targets, int ranks) {
  return ListTime(std::move(targets), max_concurrent).on(ranks).shares;
}

// Observed on four H200, 2026-11-27: of four budgets of 300 s one had a slightly longer estimate.
// It got two GPUs, and a fourth target had to wait for them.
TEST(ListTime, GivesEqualTargetsOneRankEach) {
  const std::vector<ListedTarget> targets{ideal(299.6), ideal(299.3), ideal(299.1), ideal(300)};
  EXPECT_THAT(shares(targets, 4), Each(1));
  EXPECT_THAT(shares(targets, 2), Each(1));
}

TEST(ListTime, GivesLongTargetAllRanks) {
  EXPECT_THAT(shares({ideal(400)}, 4), ElementsAre(4));
  EXPECT_THAT(shares({ideal(400, 3)}, 4), ElementsAre(3));
  EXPECT_THAT(shares({ideal(10), ideal(400), ideal(10)}, 4), ElementsAre(1, 4, 1));
  for (const int ranks : {17, 64, 100})
    EXPECT_THAT(shares({ideal(400)}, ranks), ElementsAre(ranks));
  EXPECT_THAT(shares({}, 4), IsEmpty());
  EXPECT_THAT(shares({ideal(0), ideal(0)}, 4), Each(1));
}

TEST(ListTime, GivesOneRankIfSharingGainsNothing) {
  EXPECT_THAT(shares({useless(300)}, 4), ElementsAre(1));
  // Three targets that fill a GPU each on four GPUs: with two GPUs each they would take turns.
  EXPECT_THAT(shares(std::vector<ListedTarget>(3, useless(300)), 4), Each(1));
  // The list ends with the longest target, which cannot be divided.
  EXPECT_THAT(shares({useless(800), ideal(600), ideal(100)}, 4), Each(1));
}

TEST(ListTime, IsNeverShorterThanLongestTarget) {
  // A long target that leaves most of the GPU to fifteen short ones.
  auto targets = std::vector<ListedTarget>(
      15, listed(folding(76, 412, {12, 20000, 40}, {16, 20000, 40}, {4, 20000, 40})));
  targets.push_back(listed({76, 486, true, true, {{12, 100'000'000}}}));
  const auto list = ListTime(targets, max_concurrent).on(1);
  EXPECT_EQ(list.longest, 15U);
  EXPECT_DOUBLE_EQ(list.longest_seconds, targets.back().seconds.alone());
  EXPECT_DOUBLE_EQ(list.seconds, list.longest_seconds);
}

/// Pseudo-random numbers.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : state_(seed) {}
  unsigned below(unsigned limit) {
    return ((state_ = state_ * 1664525U + 1013904223U) >> 8) % limit;
  }
  double fraction() { return below(1000) / 1000.0; }

 private:
  unsigned state_;
};

/// Targets of random lengths and efficiencies, of which some run concurrently.
std::vector<ListedTarget> random_list(unsigned seed) {
  Numbers next(seed);
  std::vector<ListedTarget> targets(1 + next.below(40));
  for (auto& target : targets) {
    const double alone = std::pow(10, 4 * next.fraction()), fixed = next.fraction();
    const double lanes = 1 + next.below(8);
    target.overhead = 0.3 * alone * next.fraction();
    target.host = target.overhead * next.fraction();
    target.device = (alone - target.overhead) * next.fraction();
    target.capacity_share = 1.0 / (1 + next.below(32));
    target.may_run_concurrently = next.below(3) > 0;
    target.seconds = SecondsByRanks(1 + static_cast<int>(next.below(100)), [=](int ranks) {
      return alone * (fixed + (1 - fixed) * std::ceil(lanes / ranks) / lanes);
    });
  }
  return targets;
}

TEST(ListTime, MoreRanksNeverLengthenAList) {
  constexpr double tolerance = 1 + 1e-9;
  int shared_lists = 0;
  for (unsigned list = 0; list < 100; ++list) {
    const auto targets = random_list(list);
    const ListTime time(targets, list % 4 == 0 ? 1 : max_concurrent);
    double before = std::numeric_limits<double>::max(), device = 0, host = 0, serial = 0;
    for (const auto& target : targets) {
      device += target.device;
      host += target.host;
      if (!target.may_run_concurrently) serial += target.seconds.alone();
    }
    bool is_shared = false;
    for (int ranks = 1; ranks <= 64; ++ranks) {
      const auto on = time.on(ranks);
      ASSERT_LE(on.seconds, before * tolerance) << "list " << list << " on " << ranks;
      before = on.seconds;
      double longest = 0;
      for (std::size_t k = 0; k < targets.size(); ++k) {
        const auto& seconds = targets[k].seconds;
        ASSERT_GE(on.shares[k], 1);
        ASSERT_LE(on.shares[k], std::min(ranks, seconds.most()));
        is_shared = is_shared || on.shares[k] > 1;
        longest = std::max(longest, seconds.on(ranks));
      }
      ASSERT_GE(on.seconds * tolerance, longest) << "list " << list << " on " << ranks;
      ASSERT_GE(on.seconds * tolerance, std::max({serial, device, host}) / ranks);
      ASSERT_GE(on.steps, 0);
      ASSERT_LE(on.steps, on.seconds);
    }
    shared_lists += is_shared ? 1 : 0;
  }
  EXPECT_GT(shared_lists, 20);
}

TEST(ListTime, SharedTargetsGainMoreThanTheyWait) {
  for (unsigned list = 0; list < 50; ++list) {
    const auto targets = random_list(list);
    const ListTime time(targets, 1);
    auto unshared = targets;
    for (auto& target : unshared) target.seconds = SecondsByRanks(target.seconds.alone());
    for (const int ranks : {2, 5, 16}) {
      const auto on = time.on(ranks);
      const double one_each = ListTime(unshared, 1).on(ranks).seconds;
      if (std::ranges::count(on.shares, 1) == static_cast<int>(targets.size())) {
        EXPECT_DOUBLE_EQ(on.seconds, one_each);
      } else {
        EXPECT_LT(on.seconds, one_each);
      }
    }
  }
}

TEST(ListedTarget, UsesLearnedSeconds) {
  const TargetWork work =
      folding(76, 412, {12, 20000, 40, 40, 12}, {48, 67500, 135, 135, 12}, {4, 20000, 40, 40, 1});
  const auto by_entry = work_seconds(h200(), {1, 1, true}, work, 1);
  const auto one = listed_target(h200(), true, work, by_entry);
  const auto learned =
      listed_target(h200(), true, work, {3 * by_entry.steps, 2 * by_entry.overhead});
  EXPECT_NEAR(learned.device, 3 * one.device, 1e-9);
  EXPECT_NEAR(learned.host, 2 * one.host, 1e-9);
  EXPECT_LT(one.host, one.overhead) << "the rest are waits and work aside";
  EXPECT_LT(one.device, 0.5 * by_entry.steps) << "a few dozen replicas on 132 multiprocessors";
}

}  // namespace
}  // namespace nfold::estimate
