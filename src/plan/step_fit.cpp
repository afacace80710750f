// Normal equations of a few coefficients, solved with none below 0.
// SPDX-License-Identifier: BSD-3-Clause

#include "plan/step_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace nfold::plan {
namespace {

using Values = std::array<double, fitted_count>;

constexpr double prior_weight = 0.003;  // of a step: where steps cannot tell parts apart
constexpr double least_spread = 0.03;   // no machine repeats itself better
constexpr int rounds = 20'000;

Values amounts_of(const StepDemand& demand, double full_precision_factor) {
  auto amounts = fitted_amounts(demand);
  if (!demand.is_in_full_precision) return amounts;
  for (std::size_t k = 1; k < fitted_count; ++k) amounts.at(k) *= full_precision_factor;
  return amounts;
}

struct Prior {
  Values values;
  double full_precision_factor = 1, weight = prior_weight;
};

/// Of all steps but `left_out`.
Values solved(const Prior& given, std::span<const MeasuredStep> steps, std::size_t left_out) {
  const auto& prior = given.values;
  // In units of the prior, so that all unknowns are about 1.
  std::array<Values, fitted_count> matrix{};
  Values right{};
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (s == left_out) continue;
    const auto amounts = amounts_of(steps[s].demand, given.full_precision_factor);
    Values row{};
    for (std::size_t k = 0; k < fitted_count; ++k) {
      row.at(k) = amounts.at(k) * prior.at(k) / (1e6 * steps[s].seconds);
    }
    for (std::size_t k = 0; k < fitted_count; ++k) {
      right.at(k) += row.at(k);
      for (std::size_t l = 0; l < fitted_count; ++l) matrix.at(k).at(l) += row.at(k) * row.at(l);
    }
  }
  Values unknown;
  unknown.fill(1);
  for (std::size_t k = 0; k < fitted_count; ++k) {
    matrix.at(k).at(k) += given.weight;
    right.at(k) += given.weight;
  }
  for (int round = 0; round < rounds; ++round) {
    double change = 0;
    for (std::size_t k = 0; k < fitted_count; ++k) {
      double rest = right.at(k);
      for (std::size_t l = 0; l < fitted_count; ++l) {
        if (l != k) rest -= matrix.at(k).at(l) * unknown.at(l);
      }
      const double next = std::max(0.0, rest / matrix.at(k).at(k));
      change = std::max(change, std::abs(next - unknown.at(k)));
      unknown.at(k) = next;
    }
    if (change < 1e-10) break;
  }
  for (std::size_t k = 0; k < fitted_count; ++k) unknown.at(k) *= prior.at(k);
  return unknown;
}

double predicted_us(const Values& values, const StepDemand& demand) {
  const auto amounts = fitted_amounts(demand);
  double sum = 0;
  for (std::size_t k = 0; k < fitted_count; ++k) sum += amounts.at(k) * values.at(k);
  return sum;
}

}  // namespace

StepCoefficients fitted(const StepCoefficients& prior, std::span<const MeasuredStep> steps) {
  auto result = prior;
  if (steps.empty()) return result;
  const Prior before{fitted_values(prior)};
  set_fitted_values(result, solved(before, steps, steps.size()));
  double squares = 0;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const double predicted = predicted_us(solved(before, steps, s), steps[s].demand);
    const double off = predicted > 0 ? std::log(1e6 * steps[s].seconds / predicted) : 1;
    squares += off * off;
  }
  result.spread = std::max(least_spread, std::sqrt(squares / static_cast<double>(steps.size())));
  return result;
}

StepCoefficients refitted(const StepCoefficients& prior, std::span<const MeasuredStep> steps,
                          double weight) {
  auto result = prior;
  set_fitted_values(result, solved({fitted_values(prior), prior.full_precision_factor, weight},
                                   steps, steps.size()));
  return result;
}

}  // namespace nfold::plan
