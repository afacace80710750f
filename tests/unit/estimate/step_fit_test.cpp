// Coefficients of a step fitted to synthetic steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/step_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "estimate/machine.hpp"

namespace nfold::estimate {
namespace {

StepDemand demand(std::size_t form, double residues, double neighbours, double charged) {
  StepDemand demand;
  demand.pair_form = form;
  demand.residues = residues;
  demand.term_work = form == 0 ? 80 * residues : 4 * residues;
  demand.pairs = neighbours * residues;
  demand.charge_pairs = charged * residues;
  return demand;
}

std::vector<StepDemand> demands() {
  return {demand(0, 76, 3, 0),     demand(0, 1e4, 2, 0),     demand(0, 1e5, 2.2, 0),
          demand(1, 1e3, 140, 45), demand(1, 1e4, 140, 45),  demand(1, 1e5, 140, 45),
          demand(1, 1e6, 140, 45), demand(1, 2e4, 110, 0.5), demand(1, 2e4, 40, 7),
          demand(2, 2e3, 100, 28), demand(2, 1e5, 100, 28),  demand(2, 1e6, 60, 10)};
}

std::vector<MeasuredStep> measured(const StepCoefficients& truth, double noise) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> around(0, noise);
  std::vector<MeasuredStep> steps;
  for (const auto& one : demands()) {
    steps.push_back({one, step_time(truth, one, {}, 1).seconds() * std::exp(around(random))});
  }
  return steps;
}

double worst_error(const StepCoefficients& found, const StepCoefficients& truth) {
  double worst = 0;
  for (const auto& one : demands()) {
    const double predicted = step_time(found, one, {}, 1).seconds();
    worst = std::max(worst, std::abs(predicted / step_time(truth, one, {}, 1).seconds() - 1));
  }
  return worst;
}

/// Coefficients of a machine other than that of the prior.
StepCoefficients other_machine() {
  auto step = builtin_machine("h200").gpu_step;
  step.launch_us *= 2;
  step.residue_ns *= 1.5;
  step.term_ns *= 0.7;
  for (auto& pair : step.pair_ns) pair *= 3;
  step.charge_pair_ns *= 2;
  return step;
}

TEST(StepFit, FitsOtherMachine) {
  const auto prior = builtin_machine("h200").gpu_step, truth = other_machine();
  EXPECT_GT(worst_error(prior, truth), 0.5);
  const auto found = fitted(prior, measured(truth, 0));
  EXPECT_LT(worst_error(found, truth), 0.02);
  EXPECT_NEAR(found.pair_ns[2] / truth.pair_ns[2], 1, 0.1);
  EXPECT_LT(found.spread, 0.08);
}

TEST(StepFit, ReportsSpreadOfNoise) {
  const auto prior = builtin_machine("h200").gpu_step, truth = other_machine();
  const auto found = fitted(prior, measured(truth, 0.05));
  EXPECT_LT(worst_error(found, truth), 0.12);
  EXPECT_GT(found.spread, 0.04);
  EXPECT_LT(found.spread, 0.25);
}

TEST(StepFit, KeepsPriorWithoutData) {
  const auto prior = builtin_machine("h200").gpu_step;
  EXPECT_EQ(fitted_values(fitted(prior, {})), fitted_values(prior));
  const auto found = fitted(prior, measured(other_machine(), 0));
  EXPECT_DOUBLE_EQ(found.pair_ns[3], prior.pair_ns[3]) << "no step had a pair of this form";
  EXPECT_DOUBLE_EQ(found.exchange_us, prior.exchange_us);
}

TEST(StepFit, CoefficientsAreNeverNegative) {
  auto steps = measured(other_machine(), 0);
  for (auto& one : steps) {
    // Charges seem to make a step shorter.
    if (one.demand.charge_pairs > 0) one.seconds *= 0.6;
  }
  for (const double value : fitted_values(fitted(builtin_machine("h200").gpu_step, steps))) {
    EXPECT_GE(value, 0);
  }
}

TEST(StepFit, FitsCostsBetweenRanks) {
  auto truth = builtin_machine("cpu-node").core_step;
  const auto prior = truth;
  truth.crowding = 1.4;
  truth.ghost_ns *= 3;
  truth.exchange_us *= 2;
  std::vector<MeasuredStep> steps;
  for (auto one : demands()) {
    if (one.residues > 2e4) continue;
    one.peers = 1;
    one.ghosts = std::pow(one.residues, 0.7);
    steps.push_back({one, step_time(truth, one, {}, 2).seconds()});
  }
  const auto found = fitted_between(prior, steps);
  EXPECT_NEAR(found.crowding, truth.crowding, 0.02);
  for (const auto& one : steps) {
    EXPECT_NEAR(step_time(found, one.demand, {}, 2).seconds() / one.seconds, 1, 0.03);
  }
  EXPECT_EQ(found.launch_us, prior.launch_us);
  EXPECT_EQ(found.pair_ns, prior.pair_ns);
  EXPECT_EQ(fitted_between(prior, {}).exchange_us, prior.exchange_us) << "nothing was measured";
  for (auto& one : steps) one.seconds = 0.8 * step_time(prior, one.demand, {}, 1).seconds();
  EXPECT_EQ(fitted_between(prior, steps).crowding, 1) << "nobody is faster in company";
}

}  // namespace
}  // namespace nfold::estimate
