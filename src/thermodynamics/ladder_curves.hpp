// What an ensemble without native contacts tells along its ladder: size and energy of its chains.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

/// By MBAR over all states, along the ladder's path, by its coordinate.
struct LadderCurves {
  std::vector<double> reduced_free_energy;                   ///< (states) f_k, the first 0
  std::vector<replicas::ThermodynamicState> grid;            ///< (grid)
  std::vector<Estimate> potential_kj_mol;                    ///< (grid) means
  std::vector<std::vector<Estimate>> radius_of_gyration_nm;  ///< (species), (grid) means each
  std::size_t samples_used = 0;
};

/// Throws analysis::AnalysisError where states share too few samples, std::invalid_argument without
/// samples or radii. Resampling is by the seed.
[[nodiscard]] LadderCurves ladder_curves(const FoldingSamples& samples, std::uint64_t seed);

/// Equally spaced coordinates from the lowest to the highest; one where they are the same.
[[nodiscard]] std::vector<double> coordinates_along(const LadderPath& path, int points);

}  // namespace nfold::thermodynamics
