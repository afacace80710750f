// Overlap of neighbouring states, which decides if their samples can be reweighted together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

/// (states - 1) element (k, k + 1) of the overlap matrix of these two states alone, 0 to 0.5. That
/// of all states falls with their number, however well neighbours overlap.
[[nodiscard]] std::vector<double> neighbour_overlaps(const FoldingSamples& samples);

/// Consecutive states, both ends included.
struct StateRange {
  std::size_t first = 0, last = 0;
};
/// Ranges that are cut where the overlap is below analysis::least_overlap.
[[nodiscard]] std::vector<StateRange> joined_states(const std::vector<double>& overlaps);

/// Names each pair of neighbours whose overlap is below the limit, up to eight; empty without any.
[[nodiscard]] std::string describe_gaps(const LadderPath& path,
                                        const std::vector<double>& overlaps);

/// AnalysisError that describes the gaps where there are any.
void require_overlap(const FoldingSamples& samples);

}  // namespace nfold::thermodynamics
