// Coefficients of the step from measured steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "plan/step_model.hpp"

namespace nfold::plan {

/// One measurement on one rank.
struct MeasuredStep {
  StepDemand demand;
  double seconds = 0;  ///< above 0
};

/// Of steps in mixed precision: least squares of relative errors, no coefficient below 0
/// (coordinate descent on the normal equations, as in Franc, Hlavac and Navara, CAIP 2005, 407).
/// `prior` holds weakly, and alone for what no step asks for; its coefficients between ranks stay.
/// `spread` comes from steps predicted without themselves. A function of its arguments; without a
/// step it is the prior.
[[nodiscard]] StepCoefficients fitted(const StepCoefficients& prior,
                                      std::span<const MeasuredStep> steps);
/// Of steps on several ranks of one node: what lies between ranks, which is `crowding`, never below
/// 1, ghost_ns and exchange_us; the others stay, and `spread` becomes no less. The prior's own hold
/// weakly.
[[nodiscard]] StepCoefficients fitted_between(const StepCoefficients& prior,
                                              std::span<const MeasuredStep> steps);
/// fitted() of steps in either precision, with a weight of the prior, whose spread stays.
/// prior_weight: of each coefficient, where one step has 1.
[[nodiscard]] StepCoefficients refitted(const StepCoefficients& prior,
                                        std::span<const MeasuredStep> steps, double prior_weight);

}  // namespace nfold::plan
