// Overlap of neighbouring states, required for reweighting their samples together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

/// Returns (states - 1) element (k, k + 1) of the overlap matrix of these two states alone, 0 to
/// 0.5. The matrix of all states has smaller elements the more states there are, at equal overlap.
[[nodiscard]] std::vector<double> neighbour_overlaps(const FoldingSamples& samples);

/// Consecutive states, both ends included.
struct StateRange {
  std::size_t first = 0, last = 0;
};
/// Returns the ranges of states, split where the overlap is below analysis::least_overlap.
[[nodiscard]] std::vector<StateRange> joined_states(const std::vector<double>& overlaps);

/// Returns the pairs of neighbours whose overlap is below the limit, up to eight; empty if there
/// are none.
[[nodiscard]] std::string describe_gaps(const LadderPath& path,
                                        const std::vector<double>& overlaps);

/// Throws AnalysisError with the gaps if there are any.
void require_overlap(const FoldingSamples& samples);

}  // namespace nfold::thermodynamics
