// Minimum sampling that estimators require before they report a number.
// SPDX-License-Identifier: BSD-3-Clause
//
// Below a limit the log, the report and the result tables name what is missing in place of the
// number. A table of means keeps its standard error, beside the number of independent samples.
#pragma once

#include <cstdint>

namespace nfold::analysis {

/// Least overlap of neighbouring states, 0 to 0.5, for reweighting between them: Klimovich, Shirts
/// and Mobley, J. Comput. Aided Mol. Des. 29, 397 (2015).
inline constexpr double least_overlap = 0.03;
/// Least number of independent samples for a standard error, whose own relative error is then a
/// fifth.
inline constexpr double fewest_independent_samples = 16;
/// Least number of blocks at the longest block length used for a blocking error.
inline constexpr std::int64_t fewest_blocks = 8;
/// Least number of foldings and of unfoldings of replicas for a folding temperature.
inline constexpr std::int64_t fewest_transitions = 5;
/// Least number of round trips of replicas between the ends of a ladder for a converged result.
inline constexpr std::int64_t fewest_round_trips = 10;

}  // namespace nfold::analysis
