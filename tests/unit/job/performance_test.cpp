// Bottleneck of a run in text and in NAME.performance.json, from hand-made ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/performance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace nfold::job {
namespace {

using telemetry::Phase;
using testing::Contains;
using testing::HasSubstr;
using Json = nlohmann::json;

RankPerformance rank(const char* name, double pair, double wait, Phase waited_in = Phase::steps) {
  RankPerformance one;
  std::copy_n(name, std::string(name).size(), one.name.begin());
  one.seconds[to_index(Phase::start)] = 100;  // excluded from the report
  one.seconds[to_index(Phase::pair)] = pair;
  one.seconds[to_index(Phase::output)] = 1;
  one.seconds[to_index(Phase::wait)] = wait;
  one.waited[to_index(waited_in)] = static_cast<std::int64_t>(1e9 * wait);
  return one;
}

Performance run(std::vector<RankPerformance> ranks) {
  Performance one;
  one.name = "droplet";
  one.first_step = 1000;
  one.last_step = 3000;
  one.time_step_ps = 0.01;
  one.is_profiled = true;
  one.ranks = std::move(ranks);
  return one;
}

TEST(Performance, NamesComputingPhase) {
  const auto found = find_bottleneck(run({rank("rank 0", 9, 0)}));
  EXPECT_EQ(found.phase, "pair");
  EXPECT_DOUBLE_EQ(found.share, 0.9);
  EXPECT_EQ(found.words, "pair forces take 90 % of the time after the start");
  EXPECT_THAT(found.advice, HasSubstr("computes"));
}

TEST(Performance, NamesTheBusiestRank) {
  const auto one = run({rank("rank 0", 1, 8), rank("rank 1", 2, 7), rank("rank 2", 9, 0)});
  EXPECT_DOUBLE_EQ(one.balance(), 12. / 27);
  EXPECT_EQ(one.busiest_rank(), 2);
  const auto found = find_bottleneck(one);
  EXPECT_EQ(found.phase, "wait");
  EXPECT_THAT(found.advice, HasSubstr("rank 2 is busiest, balance 0.44"));
  EXPECT_THAT(found.advice, HasSubstr("partition.rebalance_every_steps"));
}

TEST(Performance, BalancedRanksBlameTheExchange) {
  const auto found = find_bottleneck(run({rank("rank 0", 2, 8), rank("rank 1", 2, 8)}));
  EXPECT_THAT(found.advice, HasSubstr("take fewer ranks"));
}

TEST(Performance, NamesWaitsOutsideSteps) {
  const auto found = find_bottleneck(
      run({rank("rank 0", 2, 8, Phase::output), rank("rank 1", 2, 8, Phase::output)}));
  EXPECT_THAT(found.advice, HasSubstr("'output'"));
}

TEST(Performance, EveryPhaseHasTextAndAdvice) {
  for (std::size_t phase_index = 1; phase_index < telemetry::phase_count; ++phase_index) {
    const auto phase = static_cast<Phase>(phase_index);
    auto one = run({rank("rank 0", 1, 0)});
    one.ranks[0].seconds[phase_index] = 50;
    const auto found = find_bottleneck(one);
    EXPECT_EQ(found.phase, phase_name(phase));
    EXPECT_THAT(found.words, testing::ContainsRegex(". take"));
    EXPECT_FALSE(found.advice.empty());
  }
}

TEST(Performance, TableNamesSlowestRanks) {
  auto one = run({rank("rank 0", 1, 8), rank("rank 1", 9, 0)});
  one.ranks[1].halo_bytes_of_step = 1200;
  const auto lines = performance_table(one);
  EXPECT_THAT(lines, Contains(testing::ContainsRegex("pair +5 .* 1 +9 +1$")));
  EXPECT_THAT(lines, Contains(HasSubstr("1200 bytes of ghosts")));
  EXPECT_THAT(lines.back(), HasSubstr("bottleneck: pair forces take"));
}

TEST(Performance, EnergyCountsEachGpuOnce) {
  auto one = run({rank("rank 0", 1, 0), rank("rank 1", 1, 0), rank("rank 2", 1, 0)});
  EXPECT_FALSE(one.joules());
  const std::array<std::uint64_t, 3> gpu{7, 7, 9};
  for (std::size_t k = 0; k < gpu.size(); ++k) {
    one.ranks[k].gpu = gpu[k];
    one.ranks[k].joules = 100 + static_cast<double>(k);
  }
  ASSERT_TRUE(one.joules());
  EXPECT_DOUBLE_EQ(*one.joules(), 101 + 102);
  one.ranks[2].joules = -1;
  EXPECT_FALSE(one.joules());
}

TEST(Performance, PartsOfJobAddUpToItsTime) {
  telemetry::PhaseSums sums;
  const auto set = [](telemetry::PhaseNanoseconds& of, Phase phase, double seconds) {
    of[to_index(phase)] = static_cast<std::int64_t>(1e9 * seconds);
  };
  sums.wall = 100'000'000'000;
  set(sums.whole, Phase::start, 5);
  set(sums.whole, Phase::output, 12);  // with frames, and with waits for other ranks
  set(sums.own, Phase::output, 7);
  set(sums.own, Phase::frames, 2);
  set(sums.whole, Phase::analysis, 8);
  set(sums.whole, Phase::checkpoint, 1);
  set(sums.whole, Phase::results, 3);
  const auto run = job_parts(sums, false, 0.5, 2);
  EXPECT_DOUBLE_EQ(run.seconds(), 100.5);
  EXPECT_DOUBLE_EQ(run.start, 3.5);
  EXPECT_DOUBLE_EQ(run.minimising, 2);
  EXPECT_DOUBLE_EQ(run.energies, 10);
  EXPECT_DOUBLE_EQ(run.frames, 2);
  EXPECT_DOUBLE_EQ(run.observables, 8);
  EXPECT_DOUBLE_EQ(run.analysis, 3);
  EXPECT_DOUBLE_EQ(run.steps, 71);
  const auto ensemble = job_parts(sums, true, 0.5, 0);
  EXPECT_EQ(ensemble.energies, 0);
  EXPECT_DOUBLE_EQ(ensemble.observables, 18);
}

TEST(Performance, JsonHoldsAllValues) {
  auto one = run({rank("rank 0", 1, 8), rank("rank 1", 9, 0)});
  one.prediction = StepTimeEstimate{0.004, 0.05, "laptop"};
  one.prediction->job = estimate::JobTime{.start = 1.5};
  one.job_parts.observables = 2.5;
  one.ranks[0].memory_peak_bytes = 12;
  const auto read = Json::parse(performance_text(one));
  EXPECT_EQ(read["format"], 1);
  EXPECT_DOUBLE_EQ(read["simulated_ns"], 0.02);
  EXPECT_DOUBLE_EQ(read["step_seconds"], 9. / 2000);
  EXPECT_DOUBLE_EQ(read["prediction"]["step_seconds"], 0.004);
  EXPECT_TRUE(read["prediction"]["compared_step_seconds"].is_null());
  EXPECT_DOUBLE_EQ(read["prediction"]["parts_seconds"]["start"], 1.5);
  EXPECT_DOUBLE_EQ(read["parts_seconds"]["observables"], 2.5);
  EXPECT_TRUE(read["joules"].is_null());
  EXPECT_DOUBLE_EQ(read["mean_phase_seconds"]["pair"], 5);
  EXPECT_EQ(read["ranks"][1]["name"], "rank 1");
  EXPECT_EQ(read["ranks"][0]["memory_peak_bytes"], 12);
  EXPECT_TRUE(read["ranks"][1]["memory_peak_bytes"].is_null());
  EXPECT_DOUBLE_EQ(read["ranks"][0]["waited_in_seconds"]["steps"], 8);
  EXPECT_EQ(read["bottleneck"]["phase"], "pair");
}

}  // namespace
}  // namespace nfold::job
