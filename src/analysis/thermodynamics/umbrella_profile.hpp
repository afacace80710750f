// Free energy profile along the variable of umbrella windows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"
#include "analysis/thermodynamics/state_overlap.hpp"

namespace nfold::thermodynamics {

/// Profile without umbrellas, at the first state's temperature and contact strength, from MBAR over
/// overlapping windows. A gap between windows splits the profile into pieces, each with its own
/// zero.
struct UmbrellaProfile {
  std::vector<double> overlap;              ///< (states - 1) see neighbour_overlaps()
  std::vector<StateRange> pieces;           ///< (pieces) windows of each
  std::vector<double> reduced_free_energy;  ///< (states) f_k, the first of each piece 0
  std::vector<double> variable_nm;          ///< (bins) centres, over the sampled range
  std::vector<int> piece;                   ///< (bins) index of the piece; -1: not sampled
  std::vector<double> free_energy_kj_mol;   ///< (bins) 0 at a piece's minimum; infinite: unsampled
  std::vector<double> error_kj_mol;         ///< (bins) standard error; NaN: unknown
  std::vector<double> native_fraction;      ///< (bins) mean Q; NaN: not sampled
};

/// Computes the profile. Throws std::invalid_argument without samples or variables. The seed
/// determines the resampling.
[[nodiscard]] UmbrellaProfile umbrella_profile(const FoldingSamples& samples, std::uint64_t seed);

}  // namespace nfold::thermodynamics
