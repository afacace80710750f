// Division of a job between two machines, and migration of a started run.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cli/plan/hybrid.hpp"
#include "cli/plan/migration.hpp"

namespace nfold::plan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Returns the plan of a machine that needs `start`, `minimising` and `steps` seconds at a price
/// per hour.
MachinePlan plan_of(const std::string& name, double start, double steps, double price_per_hour,
                    bool on_gpu, double minimising = 0) {
  MachinePlan plan;
  plan.machine.name = name;
  plan.machine.transfer.gb_per_s = 0.1;
  plan.machine.transfer.wait_minutes = 1;
  auto& best = plan.best.emplace();
  best.layout = {1, 1, on_gpu};
  best.work.time.start = start;
  best.work.time.minimising = minimising;
  best.work.time.steps = steps;
  best.seconds = start + minimising + steps;
  const auto interval = estimate::ninety_percent_interval(best.seconds, 0.1);
  best.low_seconds = interval.low;
  best.high_seconds = interval.high;
  best.cost = price_per_hour * best.seconds / 3600;
  return plan;
}

DivisionCounts counts_of(std::int64_t residues) {
  DivisionCounts counts;
  counts.outputs.residues = residues;
  return counts;
}

std::vector<std::string> stages(const estimate::JobOption& option) {
  std::vector<std::string> names;
  for (const auto& stage : option.stages) {
    names.push_back(stage.name + " " + estimate::site_name(stage.site));
  }
  return names;
}

TEST(Division, MinimisedStartStaysHere) {
  const auto here = plan_of("here", 5, 1e6, 0, false, 45),
             there = plan_of("far", 5, 3600, 40, true, 55);
  const auto division = divide(here, there, counts_of(1'000'000), {});
  EXPECT_EQ(division.choice.best, hybrid);
  EXPECT_TRUE(division.makes_first_state_here);
  EXPECT_THAT(stages(division.options[hybrid]),
              ElementsAre("first state here", "send between", "wait for the job between",
                          "load there", "steps and files there", "fetch between", "report here"));
  EXPECT_GE(division.bytes.there, 48'000'000);
  // The other machine is paid for neither the start nor the report.
  EXPECT_NEAR(division.options[there_alone].cost() - division.options[hybrid].cost(),
              40.0 / 3600 * (55 + 10), 1e-9);
}

TEST(Division, StartWithoutMinimisingStaysWithTheSteps) {
  const auto here = plan_of("here", 50, 1e6, 0, false), there = plan_of("far", 60, 360, 40, true);
  const auto division = divide(here, there, counts_of(1000), {});
  EXPECT_FALSE(division.makes_first_state_here);
  EXPECT_EQ(division.bytes.there, 0);
  EXPECT_EQ(division.options[hybrid].stages.front().name, "send");
}

TEST(Division, HybridThatSavesNothingIsRefused) {
  const auto here = plan_of("here", 50, 1e7, 0, false), there = plan_of("far", 3, 1e6, 0.1, true);
  const auto division = divide(here, there, counts_of(1000), {});
  EXPECT_THAT(division.options[hybrid].refused, HasSubstr("saves less than 1 %"));
  EXPECT_EQ(division.choice.best, there_alone);
}

TEST(Division, SystemTooLargeForHereGoesThere) {
  auto here = plan_of("here", 0, 0, 0, false);
  here.best.reset();
  here.refused = "takes 100 GB of a node's 16";
  const auto there = plan_of("far", 5, 360, 40, true, 55);
  const auto division = divide(here, there, counts_of(1000), {});
  EXPECT_FALSE(division.makes_first_state_here);
  EXPECT_FALSE(division.options[here_alone].is_feasible());
  EXPECT_EQ(division.choice.best, hybrid);
}

StartedRun started_run(std::int64_t step, std::int64_t steps) {
  StartedRun run;
  run.settings.dynamics.steps = steps;
  run.settings.output.trajectory_every_steps = 0;
  run.step = step;
  run.backend = estimate::Backend::cpu;
  run.speed = MeasuredSpeed{0.01, 5, 1, "test"};
  return run;
}

TEST(Migration, LongRestMoves) {
  // Half of 10^6 steps at 10 ms are left, 5,000 s here; all take 1,000 s there.
  const auto here = plan_of("here", 0, 0, 0, false), there = plan_of("far", 10, 1000, 3.6, true);
  const auto migration = compare_sites(started_run(500'000, 1'000'000), here, there, {});
  EXPECT_EQ(migration.choice.best, move);
  EXPECT_NEAR(migration.options[stay].seconds(), 5005, 1e-6);
  // Wait, load, half of the steps, and little for files.
  EXPECT_NEAR(migration.options[move].seconds(), 60 + 10 + 500, 6);
  EXPECT_NEAR(migration.options[move].cost(), 0.51, 1e-6);
  EXPECT_GT(migration.chance_sooner, 0.99);
  EXPECT_FALSE(migration.keeps_bits);
  // 65 to 70 s of a move against 9 ms that each step saves.
  ASSERT_TRUE(migration.break_even_steps);
  EXPECT_NEAR(static_cast<double>(*migration.break_even_steps), 7500, 500);
}

TEST(Migration, ShortRestStays) {
  const auto here = plan_of("here", 0, 0, 0, false), there = plan_of("far", 10, 1000, 3.6, false);
  const auto migration = compare_sites(started_run(999'000, 1'000'000), here, there, {});
  EXPECT_EQ(migration.choice.best, stay);
  EXPECT_LT(migration.chance_sooner, 0.1);
  EXPECT_TRUE(migration.keeps_bits);
}

TEST(Migration, SlowerMachineNeverPays) {
  const auto here = plan_of("here", 0, 0, 0, false), there = plan_of("far", 10, 2e4, 0, false);
  const auto migration = compare_sites(started_run(0, 1'000'000), here, there, {});
  EXPECT_EQ(migration.choice.best, stay);
  EXPECT_FALSE(migration.break_even_steps);
}

TEST(Migration, UnknownSpeedIsPlannedWithoutMinimising) {
  auto run = started_run(500'000, 1'000'000);
  run.speed.reset();
  const auto here = plan_of("here", 5, 8000, 0, false, 40),
             there = plan_of("far", 10, 1000, 3.6, true);
  const auto migration = compare_sites(run, here, there, {});
  EXPECT_NEAR(migration.options[stay].seconds(), 5 + 4000, 1e-6);
}

TEST(Migration, DeadlineThatIsMetHereNeedsNoMove) {
  const auto here = plan_of("here", 0, 0, 0, false), there = plan_of("far", 10, 1000, 3.6, true);
  const auto run = started_run(500'000, 1'000'000);
  estimate::PlanGoal goal;
  goal.deadline_seconds = 8000;
  EXPECT_EQ(compare_sites(run, here, there, goal).choice.best, stay);
  goal.deadline_seconds = 2000;
  EXPECT_EQ(compare_sites(run, here, there, goal).choice.best, move);
}

}  // namespace
}  // namespace nfold::plan
