// When samples carry an answer: the limits that every estimator holds its samples against.
// SPDX-License-Identifier: BSD-3-Clause
//
// Below a limit an estimator gives no number, but says what is missing.
#pragma once

#include <cstdint>

namespace nfold::analysis {

/// Overlap of neighbouring states (Reweighting::overlap of the two) below which nothing is
/// reweighted from one to the other: Klimovich, Shirts and Mobley, J. Comput. Aided Mol. Des. 29,
/// 397 (2015).
inline constexpr double least_overlap = 0.03;
/// Independent samples behind a standard error, whose own error is a fifth of it with so many.
inline constexpr double fewest_independent_samples = 16;
/// How often replicas have to fold, and to unfold, for a folding temperature.
inline constexpr std::int64_t fewest_transitions = 5;
/// How often replicas have to go from one end of a ladder to the other and back.
inline constexpr std::int64_t fewest_round_trips = 10;

}  // namespace nfold::analysis
