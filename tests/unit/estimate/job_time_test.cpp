// Parts of a job on ranks, their costs in a machine's entry, and their correction by the history.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/job_time.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/document/section_reader.hpp"
#include "estimate/correction.hpp"
#include "estimate/interval.hpp"
#include "estimate/machine.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::estimate {
namespace {

using testing::HasSubstr;

/// Run of a million residues with every kind of output.
JobWork observed_run() {
  JobWork work;
  work.residues = 1e6;
  work.steps = 1000;
  work.reports = 100;
  work.frames = 10;
  work.samples = 100;
  work.list_nm = 2;
  work.root_observables = 3;
  work.root_search_nm = work.shared_search_nm = 1;
  return work;
}
StepDemand demand_of_rank(int ranks) {
  StepDemand demand;
  demand.residues = 1e6 / ranks;
  demand.pairs = 100 * demand.residues;
  return demand;
}
JobTime run_on(const JobWork& work, int ranks) {
  return run_time(work, {}, demand_of_rank(ranks), 1e-3 / ranks, {true, ranks});
}

TEST(JobTime, RootWorkIsNotShared) {
  auto root_only = observed_run();
  root_only.shared_search_nm = 0;
  auto shared_only = observed_run();
  shared_only.root_observables = shared_only.root_search_nm = 0;
  EXPECT_DOUBLE_EQ(run_on(root_only, 4).observables, run_on(root_only, 1).observables);
  const double alone = run_on(shared_only, 1).observables;
  EXPECT_LE(run_on(shared_only, 4).observables, alone / 4);
  EXPECT_GT(run_on(shared_only, 4).observables, alone / 5) << "a rank's caches hold some residues";
  EXPECT_DOUBLE_EQ(run_on(observed_run(), 4).frames, run_on(observed_run(), 1).frames);
  EXPECT_DOUBLE_EQ(run_on(observed_run(), 4).start, run_on(observed_run(), 1).start);
  EXPECT_DOUBLE_EQ(run_on(observed_run(), 4).steps, run_on(observed_run(), 1).steps / 4);
  auto thin = shared_only;
  thin.most_slices = 2;
  EXPECT_DOUBLE_EQ(run_on(thin, 4).observables, run_on(thin, 2).observables);
}

TEST(JobTime, CoresShareEnergiesByPairs) {
  const auto on_core = [](bool has_pressure, int ranks) {
    auto boxed = observed_run();
    boxed.has_pressure = has_pressure;
    return run_time(boxed, {}, demand_of_rank(ranks), 0, {false, ranks}).energies;
  };
  EXPECT_GT(on_core(true, 1), 3 * on_core(false, 1));
  EXPECT_GT(on_core(true, 1), 3 * on_core(true, 4));
}

TEST(JobTime, DenserSystemsTakeLongerToSearch) {
  auto dense = demand_of_rank(1);
  dense.pairs *= 2;
  const auto searched = run_time(observed_run(), {}, dense, 1e-3, {true, 1}).observables;
  EXPECT_GT(searched, 1.05 * run_on(observed_run(), 1).observables);
  EXPECT_LT(searched, 2 * run_on(observed_run(), 1).observables);
}

TEST(JobTime, CheckpointsFollowStepsAndClock) {
  auto at_end = observed_run();
  const double one = run_on(at_end, 1).checkpoints;
  auto by_steps = observed_run();
  by_steps.checkpoint_steps = 250;  // at 250, 500 and 750, and at the end
  EXPECT_DOUBLE_EQ(run_on(by_steps, 1).checkpoints, 4 * one);
  auto by_clock = observed_run();
  const auto time = run_on(at_end, 1);
  by_clock.checkpoint_seconds = (time.seconds() - time.checkpoints) / 2.5;
  EXPECT_DOUBLE_EQ(run_on(by_clock, 1).checkpoints, 3 * one);
}

TEST(JobTime, MinimisingIsNoPartOfTheStart) {
  auto minimised = observed_run();
  minimised.minimiser_steps = 4;
  const auto with = run_on(minimised, 1), without = run_on(observed_run(), 1);
  EXPECT_GT(with.minimising, 0);
  EXPECT_NEAR(with.seconds() - without.seconds(), with.minimising, 1e-9);
  EXPECT_EQ(with.start, without.start);
  const JobTime of_replicas{.steps = 100};
  minimised.steps = 50;
  EXPECT_DOUBLE_EQ(ensemble_time(of_replicas, minimised, {}, {}).minimising, 4 * 2);
}

TEST(JobTime, NamesLargestPart) {
  const JobTime time{.start = 1, .steps = 3, .observables = 6};
  EXPECT_EQ(time.largest().name, "observables");
  EXPECT_EQ(describe_parts(time), "start 1 s (10 %), steps 3 s (30 %), observables 6 s (60 %)");
  EXPECT_EQ(describe_parts(JobTime{}), "");
}

TEST(JobCosts, FactorsScaleEachPart) {
  auto factors = uniform_factors(1);
  factors.energies = 2;
  factors.observables = 3;
  factors.frames = 4;
  factors.checkpoints = 5;
  const auto before = run_time(observed_run(), {}, demand_of_rank(1), 1e-3, {true, 1});
  const auto after =
      run_time(observed_run(), multiply(JobCosts(), factors), demand_of_rank(1), 1e-3, {true, 1});
  EXPECT_NEAR(after.energies, 2 * before.energies, 1e-9);
  EXPECT_NEAR(after.observables, 3 * before.observables, 1e-9);
  EXPECT_NEAR(after.frames, 4 * before.frames, 1e-9);
  EXPECT_EQ(after.steps, before.steps);
}

TEST(JobCosts, AreOptionalInAnEntryAndReadBack) {
  auto machine = builtin_machine("h200");
  EXPECT_EQ(machine.job.gpu_energy_steps, JobCosts().gpu_energy_steps);
  machine.job.report_us = 12.5;
  machine.job.spread = 0.07;
  const auto read = parse_machine(format_text(machine), "mine", "mine.yaml");
  EXPECT_EQ(read.job.report_us, 12.5);
  EXPECT_EQ(read.job.spread, 0.07);
  auto text = format_text(machine);
  text.replace(text.find("  report_us: 12.5"), 17, "  report_us: -1  ");
  try {
    (void)parse_machine(text, "mine", "mine.yaml");
    FAIL() << "nothing was thrown";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), HasSubstr("job.report_us"));
  }
}

JobRow job_row(double observables, double steps, int ranks = 1) {
  JobRow row;
  row.origin = {"2026-11-30T09:00:00Z", "n1", "1"};
  row.machine = "here-1";
  row.kind = "run";
  row.ranks = ranks;
  row.residues = 1000;
  row.estimated = {.start = 1, .steps = 10, .observables = 5, .analysis = 0.5};
  row.measured = {.start = 1, .steps = 10 * steps, .observables = 5 * observables, .analysis = 0.5};
  return row;
}

TEST(JobHistory, KeepsPartsBesideOlderTables) {
  const test::TemporaryFolder folder;
  const auto file = folder / "history.sqlite";
  append(file, StepRow{});
  EXPECT_TRUE(job_rows(file, "here-1", false).empty()) << "an older file has no such table";
  append(file, job_row(2, 1));
  append(file, job_row(3, 1, 4));
  const auto rows = job_rows(file, "here-1", false);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].ranks, 4);
  EXPECT_EQ(rows[0].measured.observables, 15);
  EXPECT_EQ(rows[1].estimated.analysis, 0.5);
  EXPECT_EQ(rows[1].measured.steps, 10);
  EXPECT_TRUE(job_rows(file, "here-1", true).empty());
}

TEST(JobCorrection, CorrectsEachPartButTheSteps) {
  const auto found = correction_for({job_row(3, 7), job_row(3, 7)}, "run", 1200, 1);
  EXPECT_EQ(found.jobs, 2);
  // 30 s were measured and 10 s estimated; a tenth of a job of 86.5 s is added to both.
  EXPECT_NEAR(found.factors.observables, 38.65 / 18.65, 1e-9);
  const std::vector<JobRow> many(10, job_row(3, 7));
  EXPECT_GT(correction_for(many, "run", 1200, 1).factors.observables, 2.6);
  EXPECT_NEAR(found.factors.start, 1, 1e-9);
  EXPECT_EQ(found.factors.steps, 1);
  EXPECT_EQ(found.factors.frames, 1) << "nothing was estimated nor measured";
  EXPECT_EQ(correction_for({job_row(3, 7)}, "ensemble", 1200, 1).jobs, 0);
}

TEST(JobCorrection, UnknownLayoutHasSpreadOfTheModel) {
  const std::vector<JobRow> rows{job_row(1, 1), job_row(1.1, 1), job_row(1, 1), job_row(0.9, 1)};
  EXPECT_GT(correction_for(rows, "run", 1000, 1).spread, 0);
  EXPECT_EQ(correction_for(rows, "run", 1000, 8).spread, 0);
  EXPECT_EQ(correction_for(rows, "run", 1e6, 1).spread, 0);
}

}  // namespace
}  // namespace nfold::estimate
