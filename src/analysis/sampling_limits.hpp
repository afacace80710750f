// Limits that every estimator holds its samples against before it reports a number.
// SPDX-License-Identifier: BSD-3-Clause
//
// Below a limit the log, the report and tables of results name what is missing in place of the
// number. A table of means keeps its standard error, beside the number of independent samples.
#pragma once

#include <cstdint>

namespace nfold::analysis {

/// Overlap of neighbouring states, 0 to 0.5, below which nothing is reweighted from one to the
/// other: Klimovich, Shirts and Mobley, J. Comput. Aided Mol. Des. 29, 397 (2015).
inline constexpr double least_overlap = 0.03;
/// Independent samples behind a standard error, whose own relative error is then a fifth.
inline constexpr double fewest_independent_samples = 16;
/// Blocks at the longest block length that a blocking error is taken from.
inline constexpr std::int64_t fewest_blocks = 8;
/// Foldings and unfoldings of replicas behind a folding temperature.
inline constexpr std::int64_t fewest_transitions = 5;
/// Ways of replicas from one end of a ladder to the other and back behind a converged result.
inline constexpr std::int64_t fewest_round_trips = 10;

}  // namespace nfold::analysis
