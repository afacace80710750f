// Bottleneck of a batch from made-up times of ranks and targets.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/performance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nfold::batch {
namespace {

using telemetry::Phase;
using testing::HasSubstr;

telemetry::PhaseSeconds seconds(std::initializer_list<std::pair<Phase, double>> entries) {
  telemetry::PhaseSeconds all{};
  for (const auto& [phase, spent] : entries) all[to_index(phase)] = spent;
  return all;
}

/// Two ranks; one has no work for `idle` of 100 s after a start of 50 s.
BatchPerformance batch(double idle) {
  BatchPerformance all;
  all.job.name = "batch";
  for (const double without : {0.0, idle}) {
    job::RankPerformance rank;
    rank.seconds =
        seconds({{Phase::start, 52}, {Phase::steps, 98 - without}, {Phase::idle, without}});
    all.job.ranks.push_back(rank);
    all.without_target.push_back(seconds({{Phase::start, 50}, {Phase::idle, without}}));
  }
  all.targets.push_back(
      {"short", 1, 50, 150 - idle, seconds({{Phase::start, 2}, {Phase::steps, 98 - idle}})});
  all.targets.push_back({"long", 1, 50, 150, seconds({{Phase::start, 2}, {Phase::steps, 98}})});
  return all;
}

TEST(BatchPerformance, BusyRanksAreLimitedBySteps) {
  const auto one = batch(10);
  EXPECT_DOUBLE_EQ(one.busy_seconds(1), 90);
  EXPECT_DOUBLE_EQ(one.share_at_work(0), 1);
  EXPECT_DOUBLE_EQ(one.share_at_work(1), 0.9);
  EXPECT_EQ(describe_utilisation(one), "ranks were at work 95.0 % of the time, the least 90.0 %");
  const auto found = find_bottleneck(one);
  EXPECT_EQ(found.phase, "steps");
  // The start of the whole batch does not count; the starts of its targets do.
  EXPECT_DOUBLE_EQ(found.share, 0.93);
  EXPECT_DOUBLE_EQ(one.mean_seconds()[to_index(Phase::start)], 2);
}

TEST(BatchPerformance, IdleTimeNamesLastTarget) {
  auto one = batch(98);
  one.job.ranks[0].seconds = seconds({{Phase::start, 52}, {Phase::steps, 48}, {Phase::output, 50}});
  const auto found = find_bottleneck(one);
  EXPECT_EQ(found.phase, "idle");
  EXPECT_THAT(found.words,
              HasSubstr("49 % of the ranks' time since the first target is having no target"));
  EXPECT_THAT(found.advice, HasSubstr("long ended last, 100 s after it began"));
  EXPECT_THAT(found.advice, testing::Not(HasSubstr("idle_ranks_join")));
  one.idle_ranks_join = false;
  EXPECT_THAT(find_bottleneck(one).advice, HasSubstr("batch.idle_ranks_join: true"));
  one.targets.pop_back();
  EXPECT_THAT(find_bottleneck(one).advice, HasSubstr("1 targets for 2 ranks"));
}

TEST(BatchPerformance, EveryPhaseHasAdvice) {
  for (std::size_t index = 0; index < telemetry::phase_count; ++index) {
    auto one = batch(0);
    one.job.ranks[0].seconds[index] += 1'000;
    const auto found = find_bottleneck(one);
    EXPECT_EQ(found.phase, phase_name(static_cast<Phase>(index)));
    EXPECT_FALSE(found.advice.empty());
  }
}

TEST(BatchPerformance, SumsTargetOverItsRanks) {
  TargetInterval first, second, other;
  first.target = second.target = 1;
  first.begin_ns = 2'000'000'000;
  first.length_ns = 1'000'000'000;
  second.begin_ns = 1'000'000'000;
  second.length_ns = 500'000'000;
  first.seconds[to_index(Phase::steps)] = 0.75;
  second.seconds[to_index(Phase::steps)] = 0.5;
  std::vector<input::BatchTarget> list(2);
  list[0].name = "a";
  list[1].name = "b";
  // Rank 1 worked on the target twice, as a rank joined by others does.
  const auto found = sum_by_target({{first}, {second, other, second}}, list);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "a");
  EXPECT_EQ(found[1].name, "b");
  EXPECT_EQ(found[1].ranks, 2);
  EXPECT_DOUBLE_EQ(found[1].begin_seconds, 1);
  EXPECT_DOUBLE_EQ(found[1].end_seconds, 3);
  EXPECT_DOUBLE_EQ(found[1].rank_seconds(), 1.75);
}

TEST(BatchPerformance, TableListsCostliestTargets) {
  auto one = batch(0);
  for (int k = 0; k < 20; ++k) {
    one.targets.push_back({"small" + std::to_string(k), 1, 0, 1, seconds({{Phase::steps, 0.5}})});
  }
  const auto lines = performance_table(one);
  EXPECT_THAT(lines, testing::Contains(testing::ContainsRegex("long +1 +100 +2 +98 +0 +0 +0$")));
  EXPECT_THAT(lines, testing::Contains(HasSubstr("12 more targets took 6 s")));
  EXPECT_THAT(lines.back(), HasSubstr("bottleneck: "));
}

TEST(BatchPerformance, WritesJson) {
  const auto text = nlohmann::json::parse(performance_text(batch(10)));
  EXPECT_EQ(text["ranks"].size(), 2U);
  EXPECT_DOUBLE_EQ(text["ranks"][1]["share_at_work"].get<double>(), 0.9);
  EXPECT_DOUBLE_EQ(text["ranks"][1]["without_target_seconds"]["idle"].get<double>(), 10);
  EXPECT_EQ(text["targets"][1]["name"], "long");
  EXPECT_EQ(text["bottleneck"]["phase"], "steps");
  EXPECT_TRUE(text["joules"].is_null());
}

}  // namespace
}  // namespace nfold::batch
