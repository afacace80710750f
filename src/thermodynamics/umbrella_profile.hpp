// Free energy along the variable that umbrella windows hold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "thermodynamics/folding.hpp"
#include "thermodynamics/state_overlap.hpp"

namespace nfold::thermodynamics {

/// Without umbrellas, at the first state's temperature and contact strength, from MBAR over windows
/// that overlap. A gap between windows cuts the profile into pieces, each with its own zero.
struct UmbrellaProfile {
  std::vector<double> overlap;              ///< (states - 1) see neighbour_overlaps()
  std::vector<StateRange> pieces;           ///< (pieces) windows of each
  std::vector<double> reduced_free_energy;  ///< (states) f_k, the first of each piece 0
  std::vector<double> variable_nm;          ///< (bins) centres, over all that was seen
  std::vector<int> piece;                   ///< (bins) -1: not seen
  std::vector<double> free_energy_kj_mol;   ///< (bins) -kT ln p, the lowest of each piece 0;
                                            ///< infinite: not seen
  std::vector<double> error_kj_mol;         ///< (bins) standard error; not a number: unknown
  std::vector<double> native_fraction;      ///< (bins) mean Q there; not a number: not seen
};

/// std::invalid_argument without samples or variables. Resampling is by the seed.
[[nodiscard]] UmbrellaProfile umbrella_profile(const FoldingSamples& samples, std::uint64_t seed);

}  // namespace nfold::thermodynamics
