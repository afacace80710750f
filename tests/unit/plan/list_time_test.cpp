// What a list of targets takes where a rank works on several of them at once.
// SPDX-License-Identifier: BSD-3-Clause
#include "plan/list_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "plan/layouts.hpp"

namespace nfold::plan {
namespace {

using testing::HasSubstr;

constexpr int most = 16;  // at once, as nfold batch has it

const Machine& h200() {
  static const auto machine = builtin_machine("h200");
  return machine;
}

ListedTarget listed(const TargetWork& work, bool on_gpu = true) {
  return listed_target(h200(), on_gpu, work, work_seconds(h200(), {1, 1, on_gpu}, work, 1));
}

double sum_of_alone(const std::vector<ListedTarget>& targets) {
  return std::accumulate(targets.begin(), targets.end(), 0.0, [](double sum, const auto& target) {
    return sum + target.seconds.alone();
  });
}

/// A target that folds: a scan, a ladder and kinetics.
TargetWork folding(std::int64_t residues, std::int64_t terms, const TargetPart& scan,
                   TargetPart ladder, const TargetPart& kinetics) {
  ladder.counts_contacts = true;
  TargetWork work{residues, terms, true, true, {scan, ladder, kinetics}};
  work.repulsion_nm = 1.1;
  return work;
}

/// The parts that --budget 1 gave 100 chains and parts of chains on 2026-11-26.
std::vector<ListedTarget> hundred_targets() {
  struct Row {
    int targets;
    std::int64_t residues, terms, replicas, steps, looks, temperatures;  // from replicas: ladder
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
    const auto one = listed(folding(
        row.residues, row.terms, {12, 20000, 40, 40, 12},
        {row.replicas, row.steps, row.looks, row.looks, row.temperatures}, {4, 20000, 40, 40, 1}));
    targets.insert(targets.end(), static_cast<std::size_t>(row.targets), one);
  }
  return targets;
}

// nfold batch of these on one H200 and on four, with the start of the job, which a plan adds.
TEST(ListTime, IsWhatAHundredSmallTargetsTookOnH200s) {
  constexpr double start = 3;
  const auto targets = hundred_targets();
  ASSERT_EQ(targets.size(), 100);
  const ListTime list(targets, most);
  EXPECT_NEAR((list.on(1).seconds + start) / 23, 1, 0.25);
  EXPECT_NEAR((list.on(4).seconds + start) / 9, 1, 0.25);
  EXPECT_TRUE(list.on(1).has_company);
  EXPECT_THAT(list.on(1).most_goes_to, HasSubstr("host"));
  EXPECT_GT(sum_of_alone(targets), 2 * list.on(1).seconds);
  EXPECT_NEAR(ListTime(targets, 1).on(1).seconds, sum_of_alone(targets), 1e-9);
}

TEST(ListTime, IsThatOfTheStepsWhereReplicasFillTheGpu) {
  const auto one = listed(folding(128, 770, {528, 230'500, 461, 461, 24},
                                  {510, 2'648'000, 5296, 431, 15}, {528, 752'000, 367, 367, 1}));
  EXPECT_DOUBLE_EQ(one.room, 0.5);
  EXPECT_NEAR(one.device, one.seconds.alone() - one.beside, 1e-9);
  const auto list = ListTime(std::vector<ListedTarget>(20, one), most).on(1);
  EXPECT_NEAR(list.seconds, 20 * one.device + one.beside, 1e-6);
  EXPECT_EQ(list.most_goes_to, "steps of targets");
}

TEST(ListTime, IsThatOfTheRoomWhereFewFitAtOnce) {
  const auto one = listed({76, 486, true, true, {{66, 10'000'000}}});
  ASSERT_DOUBLE_EQ(one.room, 0.25) << "half of a GPU, and two of them are filled";
  const std::vector<ListedTarget> forty(40, one);
  const double of_four = ListTime(forty, most).on(1).seconds;
  EXPECT_DOUBLE_EQ(ListTime(forty, 4).on(1).seconds, of_four);
  EXPECT_GT(ListTime(forty, 1).on(1).seconds, 1.9 * of_four);
  EXPECT_GT(of_four, 20 * one.device) << "half of the processor each";
}

TEST(ListTime, OfOneTargetIsItsOwn) {
  const auto one = listed(
      folding(76, 412, {12, 20000, 40, 40, 12}, {48, 67500, 135, 135, 12}, {4, 20000, 40, 40, 1}));
  EXPECT_DOUBLE_EQ(ListTime({one}, most).on(1).seconds, one.seconds.alone());
}

TEST(ListTime, OfEnginesIsTheirSum) {
  const auto one = listed({76, 486, true, false, {{1, 1'000'000}}});
  EXPECT_FALSE(one.may_have_company);
  const auto list = ListTime({one, one, one}, most).on(1);
  EXPECT_DOUBLE_EQ(list.seconds, 3 * one.seconds.alone());
  EXPECT_FALSE(list.has_company);
}

TEST(ListTime, OfTargetsThatOverlapAndOthersIsTheSumOfBoth) {
  const auto small = listed({76, 486, true, true, {{12, 1'000'000}}});
  const auto engine = listed({76, 486, true, false, {{1, 1'000'000}}});
  const double together = ListTime({small, small, small}, most).on(1).seconds;
  EXPECT_LT(together, 0.9 * 3 * small.seconds.alone());
  EXPECT_NEAR(ListTime({small, engine, small, small}, most).on(1).seconds,
              together + engine.seconds.alone(), 1e-9);
}

// nfold batch of twelve ensembles of four replicas, on one and two cores of an AMD EPYC,
// 2026-11-26: the mean of one at once and of 16.
TEST(ListTime, IsWhatTwelveEnsemblesTookOnCores) {
  const std::vector<std::pair<std::int64_t, std::int64_t>> residues_and_terms{
      {51, 271}, {58, 227}, {70, 346},  {67, 330},  {71, 428},  {76, 412},
      {98, 563}, {99, 546}, {106, 502}, {115, 568}, {128, 770}, {186, 1162}};
  std::vector<ListedTarget> targets;
  for (const auto& [residues, terms] : residues_and_terms) {
    TargetWork work{residues, terms, true, true, {{4, 20'000, 40, 40, 4, true}}};
    work.repulsion_nm = 1.1;
    targets.push_back(listed(work, false));
  }
  for (const int at_once : {1, most}) {
    const ListTime list(targets, at_once);
    EXPECT_NEAR(list.on(1).seconds / 18.6, 1, 0.25);
    EXPECT_NEAR(list.on(2).seconds / 10.3, 1, 0.25);
    EXPECT_FALSE(list.on(1).has_company);
  }
}

TEST(ListTime, OnCoresIsThatOfOneAfterAnother) {
  const auto one = listed({76, 486, true, true, {{4, 20'000, 40, 40, 4}}}, false);
  EXPECT_TRUE(one.may_have_company);
  EXPECT_DOUBLE_EQ(one.room, 1);
  const std::vector<ListedTarget> three(3, one);
  for (const int at_once : {1, most}) {
    EXPECT_NEAR(ListTime(three, at_once).on(1).seconds, 3 * one.seconds.alone(), 1e-9);
    EXPECT_NEAR(ListTime(three, at_once).on(2).seconds, 2 * one.seconds.alone(), 1e-9)
        << "of two ranks one does two";
    EXPECT_FALSE(ListTime(three, at_once).on(1).has_company);
  }
}

TEST(ListTime, GivesALargeTargetSeveralRanks) {
  const TargetWork work{76, 486, true, true, {{1056, 50'000'000}}};
  auto large = listed(work);
  const auto small = listed({76, 486, true, true, {{1056, 500'000}}});
  std::vector<ListedTarget> targets(4, small);
  targets.push_back(large);
  EXPECT_GT(ListTime(targets, most).on(4).seconds, 0.9 * large.seconds.alone())
      << "of one rank, as long as nobody says otherwise";
  targets.back().seconds = SecondsByRanks(usable_ranks(work, 4), [&](int ranks) {
    return work_seconds(h200(), {1, 1, true}, work, ranks).all();
  });
  const double shared = ListTime(targets, most).on(4).seconds;
  EXPECT_LT(shared, 0.75 * large.seconds.alone());
  EXPECT_GE(shared, targets.back().seconds.on(4)) << "fewer replicas fill a GPU less";
  EXPECT_LE(shared, targets.back().seconds.on(4) + small.seconds.alone()) << "and one each beside";
}

TEST(ListedTarget, TakesWhatAHistoryLearned) {
  const TargetWork work =
      folding(76, 412, {12, 20000, 40, 40, 12}, {48, 67500, 135, 135, 12}, {4, 20000, 40, 40, 1});
  const auto by_entry = work_seconds(h200(), {1, 1, true}, work, 1);
  const auto one = listed_target(h200(), true, work, by_entry);
  const auto learned = listed_target(h200(), true, work, {3 * by_entry.steps, 2 * by_entry.beside});
  EXPECT_NEAR(learned.device, 3 * one.device, 1e-9);
  EXPECT_NEAR(learned.host, 2 * one.host, 1e-9);
  EXPECT_LT(one.host, one.beside) << "the rest are waits and work aside";
  EXPECT_LT(one.device, 0.5 * by_entry.steps) << "a few dozen replicas on 132 multiprocessors";
}

}  // namespace
}  // namespace nfold::plan
