// Overlap of neighbouring states, which decides if their samples can be reweighted together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

/// Least overlap of neighbours that reweighting needs: Klimovich, Shirts and Mobley, J. Comput.
/// Aided Mol. Des. 29, 397 (2015).
inline constexpr double least_overlap = 0.03;

/// (states - 1) element (k, k + 1) of the overlap matrix of these two states alone, 0 to 0.5. That
/// of all states falls with their number, however well neighbours overlap.
[[nodiscard]] std::vector<double> neighbour_overlaps(const FoldingSamples& samples);

/// AnalysisError that names each pair of neighbours with less than least_overlap.
void require_overlap(const FoldingSamples& samples);

}  // namespace nfold::thermodynamics
