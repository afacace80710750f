// Fit of step coefficients to measured steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "estimate/step_model.hpp"

namespace nfold::estimate {

/// One measurement on one rank.
struct MeasuredStep {
  StepDemand demand;
  double seconds = 0;  ///< above 0
};

/// Returns the fit to steps in mixed precision: least squares of relative errors, no coefficient
/// below 0 (coordinate descent on the normal equations, as in Franc, Hlavac and Navara, CAIP 2005,
/// 407). `prior` has a small weight, and decides alone where no step depends on a coefficient.
/// Coefficients between ranks are unchanged. `spread` comes from leave-one-out estimates. Without
/// steps, returns the prior.
[[nodiscard]] StepCoefficients fitted(const StepCoefficients& prior,
                                      std::span<const MeasuredStep> steps);
/// Returns the fit to steps on several ranks of one node: `crowding`, never below 1, ghost_ns and
/// exchange_us. The others are unchanged; `spread` never decreases. The prior has a small weight.
[[nodiscard]] StepCoefficients fitted_between(const StepCoefficients& prior,
                                              std::span<const MeasuredStep> steps);
/// Returns fitted() of steps in either precision with a given weight of the prior; `spread` is
/// unchanged. prior_weight: weight of each coefficient relative to one step.
[[nodiscard]] StepCoefficients refitted(const StepCoefficients& prior,
                                        std::span<const MeasuredStep> steps, double prior_weight);

}  // namespace nfold::estimate
