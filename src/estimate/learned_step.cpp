// Scaling of all coefficients to the runs, followed by a fit of each.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/learned_step.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimate/step_fit.hpp"

namespace nfold::estimate {
namespace {

constexpr std::size_t fewest_runs = 3, most_runs = 200;
// Weight of each prior coefficient relative to one step: runs must separate the parts clearly
// before a single coefficient moves.
constexpr double learned_prior_weight = 0.05;

/// Returns the time of a step [s] without ghosts, exchange and network.
double seconds_alone(const StepCoefficients& step, const StepDemand& demand) {
  const auto time = step_time(step, demand, {}, 1);
  return time.seconds() - time.ghosts - time.exchange - time.network;
}

StepCoefficients scale_by(StepCoefficients step, double factor) {
  auto values = fitted_values(step);
  for (auto& value : values) value *= factor;
  set_fitted_values(step, values);
  return step;
}

}  // namespace

LearnedStep::LearnedStep(const StepCoefficients& prior, std::vector<StepRow> rows)
    : coefficients_(prior), rows_(std::move(rows)) {
  std::erase_if(rows_, [](const StepRow& row) {
    return row.estimated_seconds <= 0 || row.measured_seconds <= 0 || row.demand.residues <= 0 ||
           row.demand.pair_form >= pair_form_count;
  });
  if (rows_.size() > most_runs) rows_.resize(most_runs);
  if (rows_.size() < fewest_runs) return;
  double logarithms = 0;
  for (const auto& row : rows_)
    logarithms += std::log(row.measured_seconds / row.estimated_seconds);
  const auto scaled = scale_by(prior, std::exp(logarithms / static_cast<double>(rows_.size())));
  std::vector<MeasuredStep> alone;
  for (const auto& row : rows_) {
    // Fraction of the step that the model assigns to the rank alone.
    const double share = seconds_alone(prior, row.demand) / row.estimated_seconds;
    alone.push_back({row.demand, row.measured_seconds * std::clamp(share, 0.0, 1.0)});
  }
  coefficients_ = refitted(scaled, alone, learned_prior_weight);
  for (auto& row : rows_) {
    row.estimated_seconds +=
        seconds_alone(coefficients_, row.demand) - seconds_alone(prior, row.demand);
  }
  fitted_runs_ = static_cast<int>(rows_.size());
}

}  // namespace nfold::estimate
