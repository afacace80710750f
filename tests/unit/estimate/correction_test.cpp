// Ensembles and targets in the history, and corrections from similar jobs.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/correction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "estimate/interval.hpp"
#include "unit/estimate/many_writers.hpp"

namespace nfold::estimate {
namespace {

namespace fs = std::filesystem;

/// Row of 60 s of steps and 40 s of overhead, which took these factors longer.
WorkRow work_row(double steps, double overhead, double residues = 100) {
  WorkRow row;
  row.origin = {"2026-11-26T02:00:00Z", "n'1", "1"};
  row.machine = "one-1";
  row.name = "ubiquitin";
  row.residues = residues;
  row.replicas = 24;
  row.predicted = {60, 40};
  row.steps_predicted = 60;
  row.steps_measured = 60 * steps;
  row.measured = 60 * steps + 40 * overhead;
  return row;
}
TargetWork work(std::int64_t residues = 100) { return {residues, 640, true, true, {{16, 1000}}}; }

Correction correction(const std::vector<WorkRow>& rows, const TargetWork& target = work(),
                      int ranks = 1) {
  return correction_for(rows, target, ranks);
}

StepRow step_row(double predicted, double measured, double residues = 1000) {
  StepRow row;
  row.demand.residues = residues;
  row.demand.pair_form = 2;
  row.estimated_seconds = predicted;
  row.measured_seconds = measured;
  return row;
}

class WorkHistory : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "nfold-works-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] fs::path file() const { return folder_ / "history.sqlite"; }

  fs::path folder_;
};

TEST_F(WorkHistory, ReturnsNewestRowsFirst) {
  EXPECT_TRUE(work_rows(file(), "one-1", Backend::cpu).empty());
  append(file(), StepRow{});
  EXPECT_TRUE(work_rows(file(), "one-1", Backend::cpu).empty()) << "there is no such table";
  append(file(), work_row(2, 1));
  auto second = work_row(3, 1);
  second.curve = StepCurve::condensate;
  second.ranks = 2;
  second.threads = 4;
  append(file(), second);
  auto other = work_row(1, 1);
  other.space = Backend::gpu;
  append(file(), other);
  const auto rows = work_rows(file(), "one-1", Backend::cpu);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].curve, StepCurve::condensate);
  EXPECT_EQ(rows[0].ranks, 2);
  EXPECT_EQ(rows[0].threads, 4);
  EXPECT_EQ(rows[1].origin.host, "n'1");
  EXPECT_EQ(rows[1].name, "ubiquitin");
  EXPECT_EQ(rows[1].residues, 100);
  EXPECT_EQ(rows[1].replicas, 24);
  EXPECT_EQ(rows[1].steps_predicted, 60);
  EXPECT_EQ(rows[1].steps_measured, 120);
  EXPECT_EQ(rows[1].predicted.steps, 60);
  EXPECT_EQ(rows[1].predicted.overhead, 40);
  EXPECT_EQ(rows[1].measured, 160);
  EXPECT_EQ(work_rows(file(), "one-1", Backend::gpu).size(), 1U);
  EXPECT_TRUE(work_rows(file(), "two-1", Backend::cpu).empty());
}

TEST_F(WorkHistory, AcceptsConcurrentWriters) {
  constexpr int writers = 4, each = 25;
  test::write_from_processes(writers, each, [this](int w) { append(file(), work_row(w + 1, 1)); });
  EXPECT_EQ(work_rows(file(), "one-1", Backend::cpu).size(),
            static_cast<std::size_t>(writers * each));
}

TEST(WorkCorrection, EqualsEstimateWithoutRows) {
  const auto found = correction({});
  EXPECT_EQ(found.jobs, 0);
  EXPECT_EQ(found.spread, 0);
  EXPECT_EQ(found.steps, 1);
  EXPECT_EQ(found.overhead, 1);
}

TEST(WorkCorrection, OneRowCorrectsStepsAndOverhead) {
  const auto found = correction({work_row(2, 0.5)});
  EXPECT_EQ(found.jobs, 1);
  EXPECT_DOUBLE_EQ(found.steps, 2);
  EXPECT_DOUBLE_EQ(found.overhead, 0.5);
  EXPECT_EQ(found.spread, 0) << "one row tells none";
}

TEST(WorkCorrection, ThreeRowsCorrectFailedEstimate) {
  const auto found = correction({work_row(10, 3), work_row(10, 3), work_row(10, 3)});
  EXPECT_EQ(found.jobs, 3);
  EXPECT_NEAR(found.steps, 10, 1e-9);
  EXPECT_NEAR(found.overhead, 3, 1e-9);
  EXPECT_EQ(found.spread, widened_spread(0, 3)) << "no less than machines scatter";
}

TEST(WorkCorrection, ResumedRowsCorrectStepsOnly) {
  auto resumed = work_row(3, 1);
  resumed.measured = 0;
  resumed.steps_predicted = 10;  // steps of its last start only
  resumed.steps_measured = 30;
  const auto found = correction({resumed, resumed, resumed});
  EXPECT_DOUBLE_EQ(found.steps, 3);
  EXPECT_EQ(found.overhead, 1);
  EXPECT_GT(found.spread, 0);
  auto silent = work_row(9, 9);
  silent.steps_predicted = silent.steps_measured = 0;
  EXPECT_EQ(correction({silent}).jobs, 0);
}

TEST(WorkCorrection, UnmeasuredStepsCountInTotal) {
  auto half = work_row(2, 1);
  half.steps_predicted /= 2;  // the other steps were verified by computing them twice
  half.steps_measured /= 2;
  EXPECT_NEAR(correction({half}).overhead, 1, 1e-9);
}

TEST(WorkCorrection, UsesSimilarRowsOnly) {
  auto other_curve = work_row(9, 1);
  other_curve.curve = StepCurve::go;
  auto shared = work_row(5, 1);
  shared.ranks = 2;
  const std::vector<WorkRow> rows{other_curve, work_row(2, 1), work_row(7, 1, 301),
                                  work_row(7, 1, 33), shared};
  EXPECT_DOUBLE_EQ(correction(rows).steps, 2);
  EXPECT_EQ(correction(rows).jobs, 1);
  EXPECT_DOUBLE_EQ(correction(rows, work(), 4).steps, 5);
  EXPECT_EQ(correction({other_curve}).jobs, 0);
  EXPECT_DOUBLE_EQ(correction({work_row(7, 1, 1000)}).steps, 7) << "there is none of its size";
  std::vector<WorkRow> many(10, work_row(2, 1));
  many.push_back(work_row(1000, 1));
  EXPECT_NEAR(correction(many).steps, 2, 1e-9) << "old rows are forgotten";
}

TEST(WorkCorrection, HasSpreadOfErrors) {
  const auto found = correction({work_row(1, 1), work_row(1.2, 1), work_row(1 / 1.2, 1)});
  // Totals of 100, 112 and 90 for an estimate of 100.
  const double squares = std::pow(std::log(1.12), 2) + std::pow(std::log(0.9), 2);
  EXPECT_NEAR(found.spread, widened_spread(std::sqrt(squares / 2), 3), 1e-3);
  EXPECT_GT(found.spread, 1.5 * std::sqrt(squares / 2)) << "three are few";
}

TEST(WorkCorrection, LongStepsDoNotCorrectOverhead) {
  auto longer = work_row(1, 1);
  longer.predicted = {1e6, 40};
  longer.steps_predicted = longer.steps_measured = 1e6;
  longer.measured = 1.01e6;
  EXPECT_EQ(correction({longer}).overhead, 1);
}

TEST(StepCorrection, IsMeanOfSimilarRuns) {
  const auto demand = step_row(1, 1).demand;
  EXPECT_EQ(correction_for({}, demand, 1).jobs, 0);
  EXPECT_EQ(correction_for({}, demand, 1).steps, 1);
  auto precise = step_row(1, 9);
  precise.demand.is_in_full_precision = true;
  auto other_form = step_row(1, 9);
  other_form.demand.pair_form = 1;
  auto two_ranks = step_row(1, 9);
  two_ranks.ranks = 2;
  const std::vector<StepRow> rows{step_row(1, 2),
                                  step_row(1, 8, 2900),
                                  step_row(1, 9, 3100),
                                  step_row(1, 9, 300),
                                  precise,
                                  other_form,
                                  two_ranks};
  const auto found = correction_for(rows, demand, 1);
  EXPECT_EQ(found.jobs, 2);
  EXPECT_DOUBLE_EQ(found.steps, 4);
  EXPECT_EQ(found.spread, 0) << "two runs tell no spread";
  EXPECT_DOUBLE_EQ(correction_for(rows, demand, 4).steps, 9) << "of several ranks";
  EXPECT_DOUBLE_EQ(correction_for({step_row(1, 2)}, demand, 4).steps, 2)
      << "of one, as there is no other";
  EXPECT_DOUBLE_EQ(correction_for({step_row(1, 5, 30)}, demand, 1).steps, 5) << "of another size";
  EXPECT_EQ(correction_for({precise, other_form}, demand, 1).jobs, 0);
}

TEST(StepCorrection, ForgetsOldRunsAndHasSpread) {
  std::vector<StepRow> rows(10, step_row(1, 2));
  rows.push_back(step_row(1, 1000));
  const auto found = correction_for(rows, step_row(1, 1).demand, 1);
  EXPECT_EQ(found.jobs, 10);
  EXPECT_NEAR(found.steps, 2, 1e-12);
  rows[0].measured_seconds = 4;
  const auto wider = correction_for(rows, step_row(1, 1).demand, 1);
  EXPECT_NEAR(wider.spread, widened_spread(std::log(2) * std::sqrt(0.1), 10), 1e-6);
}

TEST(Interval, CoversNinetyPercent) {
  const auto [low, high] = ninety_percent_interval(10, 0.1);
  EXPECT_NEAR(std::log(high / 10), 0.16448536269514727, 1e-12);
  EXPECT_NEAR(std::log(10 / low), 0.16448536269514727, 1e-12);
  // Student's t with one and nine degrees of freedom.
  EXPECT_NEAR(widened_spread(0.1, 2), 0.1 * 6.313751514675041 / 1.6448536269514727 * std::sqrt(1.5),
              1e-12);
  EXPECT_NEAR(widened_spread(0.1, 10),
              0.1 * 1.8331129326562374 / 1.6448536269514727 * std::sqrt(1.1), 1e-12);
  EXPECT_LT(widened_spread(0.1, 1000), widened_spread(0.1, 10));
  EXPECT_GT(widened_spread(0, 10), 0);
}

}  // namespace
}  // namespace nfold::estimate
