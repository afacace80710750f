// Energy and other quantities along the ladder of an ensemble without native contacts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

/// Curves along the ladder's path, by its coordinate, from MBAR over all states.
struct LadderCurves {
  std::vector<double> reduced_free_energy;        ///< (states) f_k, the first 0
  std::vector<system::ThermodynamicState> grid;   ///< (grid)
  std::vector<Estimate> potential_kj_mol;         ///< (grid) means
  std::vector<std::vector<Estimate>> quantities;  ///< (columns), (grid) means each
  std::size_t samples_used = 0;
};

/// Computes the curves. Throws analysis::AnalysisError if neighbouring states do not overlap,
/// std::invalid_argument without samples or quantities. The seed determines the resampling.
[[nodiscard]] LadderCurves ladder_curves(const FoldingSamples& samples, std::uint64_t seed);

/// Returns equally spaced coordinates from the lowest to the highest; a single one if they are
/// equal.
[[nodiscard]] std::vector<double> coordinates_along(const LadderPath& path, int points);

}  // namespace nfold::thermodynamics
