// Estimates by a machine's entry, and their correction by its history.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/time_estimator.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "support/scoped_variable.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::setup {
namespace {

class TimeEstimator : public testing::Test {
 protected:
  TimeEstimator() { setenv("NFOLD_HISTORY", (folder_ / "history.sqlite").c_str(), 1); }

  const test::ScopedVariable history_{"NFOLD_HISTORY"};
  const test::TemporaryFolder folder_;
  const estimate::Machine machine_ = estimate::builtin_machine("h200");
};

estimate::StepDemand demand() {
  estimate::StepDemand demand;
  demand.residues = 1'000;
  demand.pairs = 50'000;
  return demand;
}

TEST_F(TimeEstimator, StepIsByEntryWithoutHistory) {
  const auto step = StepEstimator(machine_, true).of(demand(), {1, 1, true});
  EXPECT_EQ(step.seconds, step.row.estimated_seconds);
  EXPECT_EQ(step.seconds, estimate::step_time(machine_.gpu_step, demand(), {}, 1).seconds());
  EXPECT_EQ(step.spread, machine_.spread(true, false));
  EXPECT_EQ(step.runs, 0);
}

TEST_F(TimeEstimator, RunCorrectsStepsOfItsMachine) {
  auto row = StepEstimator(machine_, true).of(demand(), {1, 1, true}).row;
  row.measured_seconds = 3 * row.estimated_seconds;
  append(folder_ / "history.sqlite", row);
  const auto step = StepEstimator(machine_, true).of(demand(), {1, 1, true});
  EXPECT_DOUBLE_EQ(step.seconds, row.measured_seconds);
  EXPECT_EQ(step.runs, 1);
  auto faster = machine_;
  faster.gpu_step.launch_us /= 2;
  EXPECT_EQ(StepEstimator(faster, true).of(demand(), {1, 1, true}).runs, 0);
  EXPECT_EQ(StepEstimator(machine_, false).of(demand(), {1, 1, false}).runs, 0);
}

TEST_F(TimeEstimator, WorkIsCorrectedByWorkOnItsCurve) {
  const estimate::TargetWork work{76, 412, true, true, {{64, 1'000'000}}};
  const estimate::JobRanks job{0, 1, 0};
  const WorkEstimator before(machine_, estimate::Backend::gpu);
  const auto by_entry = before.of(work, job, 1);
  EXPECT_EQ(by_entry.seconds.all(), by_entry.row.predicted.all());
  EXPECT_EQ(by_entry.by, "h200");
  auto row = by_entry.row;
  row.steps_predicted = row.predicted.steps;
  row.steps_measured = 2 * row.predicted.steps;
  append(folder_ / "history.sqlite", row);
  const WorkEstimator after(machine_, estimate::Backend::gpu);
  const auto corrected = after.of(work, job, 1);
  EXPECT_DOUBLE_EQ(corrected.seconds.steps, 2 * row.predicted.steps);
  EXPECT_EQ(corrected.seconds.overhead, row.predicted.overhead);
  EXPECT_EQ(corrected.by, "h200 and 1 earlier run");
  auto trajectory = work;
  trajectory.is_resident = false;
  EXPECT_EQ(after.of(trajectory, job, 1).runs, 0);
}

}  // namespace
}  // namespace nfold::setup
