// Normal equations of a few coefficients, solved with none below 0.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/step_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace nfold::estimate {
namespace {

using FitValues = std::array<double, fitted_count>;

constexpr double weak_prior_weight =
    0.003;                                 // relative to one step; for parts that no step separates
constexpr double least_fit_spread = 0.03;  // repeatability of a machine

/// Least squares of relative errors with lower limits, by normal equations. Unknowns are in units
/// of the prior, so that all are about 1.
template <std::size_t count>
class RelativeFit {
 public:
  using Values = std::array<double, count>;

  /// Adds a step of which each unknown contributes row * unknown, and all together `target`. Both
  /// are relative to the step's time.
  void add(const Values& row, double target) {
    for (std::size_t k = 0; k < count; ++k) {
      right_.at(k) += row.at(k) * target;
      for (std::size_t l = 0; l < count; ++l) matrix_.at(k).at(l) += row.at(k) * row.at(l);
    }
  }
  /// Returns the unknowns. prior_weight: weight of the prior of each, relative to one step.
  [[nodiscard]] Values solve(double prior_weight, const Values& least) const {
    constexpr int rounds = 20'000;
    auto matrix = matrix_;
    auto right = right_;
    for (std::size_t k = 0; k < count; ++k) {
      matrix.at(k).at(k) += prior_weight;
      right.at(k) += prior_weight;
    }
    Values unknown;
    unknown.fill(1);
    for (int round = 0; round < rounds; ++round) {
      double change = 0;
      for (std::size_t k = 0; k < count; ++k) {
        double rest = right.at(k);
        for (std::size_t l = 0; l < count; ++l) {
          if (l != k) rest -= matrix.at(k).at(l) * unknown.at(l);
        }
        const double next = std::max(least.at(k), rest / matrix.at(k).at(k));
        change = std::max(change, std::abs(next - unknown.at(k)));
        unknown.at(k) = next;
      }
      if (change < 1e-10) break;
    }
    return unknown;
  }

 private:
  std::array<Values, count> matrix_{};
  Values right_{};
};

FitValues amounts_of(const StepDemand& demand, double full_precision_factor) {
  auto amounts = fitted_amounts(demand);
  if (!demand.is_in_full_precision) return amounts;
  for (std::size_t k = 1; k < fitted_count; ++k) amounts.at(k) *= full_precision_factor;
  return amounts;
}

struct Prior {
  FitValues values;
  double full_precision_factor = 1, weight = weak_prior_weight;
};

/// Returns the fit to all steps but `left_out`.
FitValues solved(const Prior& prior, std::span<const MeasuredStep> steps, std::size_t left_out) {
  RelativeFit<fitted_count> fit;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (s == left_out) continue;
    auto row = amounts_of(steps[s].demand, prior.full_precision_factor);
    for (std::size_t k = 0; k < fitted_count; ++k) {
      row.at(k) = row.at(k) * prior.values.at(k) / (1e6 * steps[s].seconds);
    }
    fit.add(row, 1);
  }
  auto values = fit.solve(prior.weight, {});
  for (std::size_t k = 0; k < fitted_count; ++k) values.at(k) *= prior.values.at(k);
  return values;
}

double predicted_us(const FitValues& values, const StepDemand& demand) {
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
  result.spread =
      std::max(least_fit_spread, std::sqrt(squares / static_cast<double>(steps.size())));
  return result;
}

StepCoefficients fitted_between(const StepCoefficients& prior,
                                std::span<const MeasuredStep> steps) {
  // Unknowns: crowding, and ghosts and exchanges in units of the prior.
  RelativeFit<3> fit;
  auto one = prior;
  one.crowding = 1;
  for (const auto& step : steps) {
    const auto time = step_time(one, step.demand, {}, 2);
    const double launches = 1e-6 * prior.launch_us;
    const double crowded =
        time.residues + time.terms + time.pairs + time.charge_pairs + (time.launch - launches);
    const double exchange = step.demand.peers > 0 ? 1e-6 * prior.exchange_us : 0;
    const double fixed = time.seconds() - crowded - time.ghosts - exchange;
    fit.add({crowded / step.seconds, time.ghosts / step.seconds, exchange / step.seconds},
            (step.seconds - fixed) / step.seconds);
  }
  const auto [crowding, ghosts, exchanges] = fit.solve(weak_prior_weight, {1, 0, 0});
  auto result = prior;
  result.crowding = crowding;
  result.ghost_ns = ghosts * prior.ghost_ns;
  result.exchange_us = exchanges * prior.exchange_us;
  double squares = 0;
  for (const auto& step : steps) {
    const double off = std::log(step.seconds / step_time(result, step.demand, {}, 2).seconds());
    squares += off * off;
  }
  if (!steps.empty()) {
    result.spread = std::max(prior.spread, std::sqrt(squares / static_cast<double>(steps.size())));
  }
  return result;
}

StepCoefficients refitted(const StepCoefficients& prior, std::span<const MeasuredStep> steps,
                          double weight) {
  auto result = prior;
  set_fitted_values(result, solved({fitted_values(prior), prior.full_precision_factor, weight},
                                   steps, steps.size()));
  return result;
}

}  // namespace nfold::estimate
