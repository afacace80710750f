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
constexpr int rounds = 20'000;

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
FitValues solved(const Prior& given, std::span<const MeasuredStep> steps, std::size_t left_out) {
  const auto& prior = given.values;
  // Unknowns are in units of the prior, so that all are about 1.
  std::array<FitValues, fitted_count> matrix{};
  FitValues right{};
  for (std::size_t s = 0; s < steps.size(); ++s) {
    if (s == left_out) continue;
    const auto amounts = amounts_of(steps[s].demand, given.full_precision_factor);
    FitValues row{};
    for (std::size_t k = 0; k < fitted_count; ++k) {
      row.at(k) = amounts.at(k) * prior.at(k) / (1e6 * steps[s].seconds);
    }
    for (std::size_t k = 0; k < fitted_count; ++k) {
      right.at(k) += row.at(k);
      for (std::size_t l = 0; l < fitted_count; ++l) matrix.at(k).at(l) += row.at(k) * row.at(l);
    }
  }
  FitValues unknown;
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

/// Parts of a step on several ranks, in seconds per unit of each unknown.
struct BetweenParts {
  double fixed = 0;     ///< launches and further messages
  double crowded = 0;   ///< multiplied by crowding
  double ghosts = 0;    ///< for 1 ns per ghost
  double exchange = 0;  ///< for 1 us per exchange
};

BetweenParts between_parts(StepCoefficients step, const StepDemand& demand) {
  step.crowding = 1;
  step.ghost_ns = 1;
  step.exchange_us = 1;
  const auto time = step_time(step, demand, {}, 2);
  BetweenParts parts;
  parts.crowded = time.residues + time.terms + time.pairs + time.charge_pairs +
                  (time.launch - 1e-6 * step.launch_us);
  parts.ghosts = time.ghosts;
  parts.exchange = demand.peers > 0 ? 1e-6 : 0;
  parts.fixed = time.seconds() - parts.crowded - parts.ghosts - parts.exchange;
  return parts;
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
  auto result = prior;
  std::array<double, 3> value{prior.crowding, prior.ghost_ns, prior.exchange_us};
  constexpr std::array<double, 3> least{1, 0, 0};
  for (int round = 0; round < rounds; ++round) {
    double change = 0;
    for (std::size_t k = 0; k < value.size(); ++k) {
      // Unknowns are in units of the prior, as in solved().
      const double unit = std::array{1.0, prior.ghost_ns, prior.exchange_us}.at(k);
      if (unit <= 0) continue;
      double above = weak_prior_weight, below = weak_prior_weight;
      for (const auto& step : steps) {
        const auto parts = between_parts(prior, step.demand);
        const std::array<double, 3> amounts{parts.crowded, parts.ghosts, parts.exchange};
        double rest = step.seconds - parts.fixed;
        for (std::size_t l = 0; l < value.size(); ++l) {
          if (l != k) rest -= value.at(l) * amounts.at(l);
        }
        const double own = unit * amounts.at(k) / step.seconds;
        above += own * rest / step.seconds;
        below += own * own;
      }
      const double next = std::max(least.at(k), unit * above / below);
      change = std::max(change, std::abs(next - value.at(k)) / unit);
      value.at(k) = next;
    }
    if (change < 1e-10) break;
  }
  result.crowding = value[0];
  result.ghost_ns = value[1];
  result.exchange_us = value[2];
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
