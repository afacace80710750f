// Step coefficients learned from runs.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/learned_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace nfold::estimate {
namespace {

StepCoefficients prior() {
  StepCoefficients step;
  step.launch_us = 5;
  step.residue_ns = 20;
  step.term_ns = 2;
  step.pair_ns = {1, 1, 1, 1, 1};
  step.charge_pair_ns = 1;
  step.full_precision_factor = 2;
  step.ghost_ns = 5;
  step.exchange_us = 3;
  return step;
}
/// Coefficients of the real machine; they differ from the prior by more than a common factor.
StepCoefficients truth() {
  auto step = prior();
  step.launch_us = 10;
  step.residue_ns = 30;
  step.pair_ns[1] = 0.5;
  step.charge_pair_ns = 3;
  return step;
}
StepDemand demand(double residues, double neighbours, double charged = 0) {
  StepDemand demand;
  demand.residues = residues;
  demand.term_work = 2 * residues;
  demand.pair_form = 1;
  demand.pairs = neighbours * residues;
  demand.charge_pairs = charged * residues;
  return demand;
}
StepRow row(const StepDemand& demand, int ranks = 1) {
  StepRow row;
  row.demand = demand;
  row.ranks = ranks;
  row.estimated_seconds = step_time(prior(), demand, {}, ranks).seconds();
  row.measured_seconds = step_time(truth(), demand, {}, ranks).seconds();
  row.steps = 1000;
  return row;
}
double learned_seconds(const LearnedStep& learned, const StepDemand& demand, int ranks = 1) {
  return learned.correction(demand, ranks).steps *
         step_time(learned.coefficients(), demand, {}, ranks).seconds();
}

TEST(LearnedStep, EqualsPriorWithoutRuns) {
  const LearnedStep learned(prior(), {});
  EXPECT_EQ(learned.fitted_runs(), 0);
  EXPECT_EQ(learned.coefficients().pair_ns, prior().pair_ns);
  EXPECT_EQ(learned.correction(demand(1000, 20), 1).jobs, 0);
}

TEST(LearnedStep, OneRunCorrectsSimilarSystems) {
  const auto one = demand(1000, 20);
  const LearnedStep learned(prior(), {row(one)});
  EXPECT_EQ(learned.fitted_runs(), 0);
  EXPECT_NEAR(learned_seconds(learned, one) / row(one).measured_seconds, 1, 1e-12);
}

TEST(LearnedStep, ThreeEqualRunsAreReproduced) {
  const auto one = demand(1000, 20);
  auto far = row(one);
  far.measured_seconds = 30 * far.estimated_seconds;
  const LearnedStep learned(prior(), {far, far, far});
  EXPECT_EQ(learned.fitted_runs(), 3);
  EXPECT_NEAR(learned_seconds(learned, one) / far.measured_seconds, 1, 1e-9);
  EXPECT_GT(learned.coefficients().launch_us, 10 * prior().launch_us);
}

TEST(LearnedStep, DistinctRunsImproveOtherSystems) {
  std::vector<StepRow> rows;
  for (const double residues : {100., 1000., 1e4}) {
    for (const double neighbours : {10., 60.}) {
      rows.push_back(row(demand(residues, neighbours)));
      rows.push_back(row(demand(residues, neighbours, 30)));
    }
  }
  const LearnedStep learned(prior(), rows);
  const auto unseen = demand(3e5, 40, 5);  // thirty times as large as any
  const double wanted = row(unseen).measured_seconds;
  const auto common = correction_for(rows, unseen, 1).steps * row(unseen).estimated_seconds;
  EXPECT_GT(std::abs(common / wanted - 1), 0.15) << "the test is too easy";
  EXPECT_NEAR(learned_seconds(learned, unseen) / wanted, 1, 0.1);
  EXPECT_LT(learned.coefficients().pair_ns[1], 0.8);
  EXPECT_GT(learned.coefficients().charge_pair_ns, 2);
  EXPECT_EQ(learned.coefficients().exchange_us, prior().exchange_us);
}

TEST(LearnedStep, ReproducesRunsOfRanksAndPrecision) {
  std::vector<StepRow> rows;
  for (const double residues : {500., 5000.}) {
    auto shared = demand(residues, 40);
    shared.ghosts = residues / 10;
    shared.peers = 1;
    rows.push_back(row(shared, 2));
    auto full = demand(residues, 40);
    full.is_in_full_precision = true;
    rows.push_back(row(full));
  }
  const LearnedStep learned(prior(), rows);
  for (const auto& one : rows) {
    EXPECT_NEAR(learned_seconds(learned, one.demand, one.ranks) / one.measured_seconds, 1, 0.05);
  }
}

}  // namespace
}  // namespace nfold::estimate
