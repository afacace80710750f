// Events and block ends, which depend on step numbers alone.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/schedule.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace {

using nfold::setup::Schedule;

nfold::input::Settings settings(std::int64_t steps, std::int64_t energies, std::int64_t trajectory,
                                std::int64_t checkpoint) {
  nfold::input::Settings s;
  s.dynamics.steps = steps;
  s.output.energies_every_steps = energies;
  s.output.trajectory_every_steps = trajectory;
  s.output.checkpoint_every_steps = checkpoint;
  return s;
}

TEST(Schedule, EventsFallOnMultiplesAndZero) {
  const Schedule schedule(settings(100, 10, 15, 0), 76);
  EXPECT_TRUE(schedule.at(0).energies);
  EXPECT_TRUE(schedule.at(0).trajectory);
  EXPECT_TRUE(schedule.at(30).energies && schedule.at(30).trajectory);
  EXPECT_FALSE(schedule.at(45).energies);
  EXPECT_FALSE(schedule.at(29).energies || schedule.at(29).trajectory);
}

TEST(Schedule, ObservablesBeginAfterEquilibration) {
  auto given = settings(1000, 0, 0, 0);
  given.observables.every_steps = 40;
  given.observables.equilibration_steps = 100;
  const Schedule schedule(given, 76);
  std::vector<std::int64_t> steps;
  for (std::int64_t step = 0; step <= 240; step = schedule.next_block_end(step)) {
    if (schedule.at(step).observables) steps.push_back(step);
    EXPECT_EQ(schedule.at(step).report(), schedule.at(step).observables);
  }
  EXPECT_EQ(steps, (std::vector<std::int64_t>{120, 160, 200, 240}));
}

// Block ends of 1000 steps, from `step` on.
std::vector<std::int64_t> block_ends(const Schedule& schedule, std::int64_t step) {
  std::vector<std::int64_t> all;
  while (step < 1000) {
    step = schedule.next_block_end(step);
    all.push_back(step);
  }
  return all;
}

TEST(Schedule, VerifiedBlocksAreSeparate) {
  auto given = settings(1000, 0, 430, 0);
  given.reliability.verify_every_steps = 400;
  const Schedule schedule(given, 76);
  EXPECT_EQ(block_ends(schedule, 0), (std::vector<std::int64_t>{100, 400, 430, 800, 860, 1000}));
  given.reliability.verify_every_steps = 50;
  EXPECT_EQ(Schedule(given, 76).next_block_end(0), 50) << "all steps, if asked for";
  EXPECT_EQ(Schedule(given, 76).next_block_end(400), 430);
  EXPECT_EQ(Schedule(settings(1000, 0, 430, 0), 76).next_block_end(0), 430);
}

TEST(Schedule, MissesNoEventFromAnyStart) {
  const Schedule schedule(settings(1000, 70, 30, 250), 76);
  for (const std::int64_t start : {0, 1, 29, 30, 501, 999}) {
    const auto all = block_ends(schedule, start);
    const std::set<std::int64_t> seen(all.begin(), all.end());
    for (std::int64_t step = start + 1; step <= 1000; ++step) {
      const auto due = schedule.at(step);
      if (due.energies || due.trajectory || step % 250 == 0) {
        EXPECT_TRUE(seen.count(step)) << step << " from " << start;
      } else {
        EXPECT_FALSE(seen.count(step)) << step << " from " << start;
      }
    }
  }
}

TEST(Schedule, BlockLengthIsBounded) {
  const Schedule large(settings(1'000'000'000, 0, 0, 0), 1'000'000);
  EXPECT_EQ(large.next_block_end(0), 10);
  const Schedule small(settings(1'000'000'000, 0, 0, 0), 100);
  EXPECT_EQ(small.next_block_end(5), 20'005);
  EXPECT_EQ(small.next_block_end(5, 105), 105) << "somebody looks sooner";
}

TEST(Schedule, GpuBlocksLastAFifthOfASecond) {
  EXPECT_EQ(nfold::setup::max_block_steps(76, false), 26'315);
  EXPECT_NEAR(nfold::setup::max_block_steps(76, true), 0.2 / 10e-6, 200);
  EXPECT_NEAR(nfold::setup::max_block_steps(1'000'000, true), 0.2 / 0.51e-3, 1) << "2,000 steps/s";
  EXPECT_EQ(nfold::setup::max_block_steps(2'000'000'000, true), 10);
}

TEST(Schedule, HandlesLargestStepNumbers) {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  const Schedule schedule(settings(most, most, most, most), 1);
  EXPECT_EQ(schedule.next_block_end(most - 1), most);
}

TEST(Schedule, WarnsOfUnreachedEvents) {
  using nfold::setup::schedule_warnings;
  EXPECT_TRUE(schedule_warnings(settings(100, 1000, 1000, 0)).empty()) << "the defaults";
  EXPECT_TRUE(schedule_warnings(settings(0, 50, 50, 0)).empty())
      << "the first state alone is asked";
  EXPECT_EQ(schedule_warnings(settings(100, 100, 101, 0)),
            std::vector<std::string>{
                "warning: output.trajectory_every_steps = 101 is not reached in the 100 steps of "
                "dynamics.steps: only the first state is written"});
  auto averaged = settings(1000, 100, 100, 0);
  averaged.observables.every_steps = 300;
  averaged.observables.equilibration_steps = 900;
  EXPECT_TRUE(schedule_warnings(averaged).empty());
  averaged.observables.equilibration_steps = 901;  // the last sample is of step 900
  EXPECT_EQ(schedule_warnings(averaged).size(), 1U);
  auto replicas = settings(60'000, 1000, 1000, 0);
  replicas.ensemble.temperatures = 2;
  replicas.ensemble.sample_every_steps = 100;
  replicas.ensemble.equilibration_steps = 60'000;
  EXPECT_TRUE(schedule_warnings(replicas).empty());
  replicas.ensemble.equilibration_steps = 200'000;
  replicas.ensemble.exchange_every_steps = 70'000;
  const auto both = schedule_warnings(replicas);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_NE(both[0].find("ensemble.exchange_every_steps = 70000 is not reached"),
            std::string::npos);
  EXPECT_NE(both[1].find("ensemble.equilibration_steps = 200000 is not reached in the 60000 steps "
                         "of dynamics.steps: no sample counts, and there is no result"),
            std::string::npos);
}

}  // namespace
