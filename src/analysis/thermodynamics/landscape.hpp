// Free energy surfaces: Q and potential energy, Q and radius of gyration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"

namespace nfold::thermodynamics {

/// -kT ln p over bins of Q and of another coordinate; minimum 0, infinite for unsampled bins.
struct FreeEnergySurface {
  double kelvin = 0;
  std::vector<double> native_fraction;  ///< (Q bins) centres
  std::vector<double> other;            ///< (bins) centres [its unit]
  std::vector<double> kj_mol;           ///< (Q bins, bins)
};

/// Returns the surface over Q and the potential energy, both in this state, from the samples of all
/// states and their MBAR free energies.
[[nodiscard]] FreeEnergySurface energy_surface(const FoldingSamples& samples,
                                               const std::vector<double>& reduced_free_energy,
                                               const system::ThermodynamicState& state);

/// Returns the surface from counts (Q bins, bins) of one state; the other coordinate goes from 0 to
/// `end`.
[[nodiscard]] FreeEnergySurface counted_surface(std::span<const std::int64_t> counts, int q_bins,
                                                double end, double kelvin);

}  // namespace nfold::thermodynamics
