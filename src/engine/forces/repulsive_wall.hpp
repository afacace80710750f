// Distance below which pair forces can be large, from bounds of the potentials.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Returns a distance [nm], at most the cutoff, beyond which no pair of any types exceeds `force`
/// [kJ/mol/nm], from bounds of the potentials' slopes that decrease with the distance, of either
/// sign. Returns the cutoff if the bound exceeds `force` there.
[[nodiscard]] double wall_nm(const topology::ShortRange& short_range, double force);
/// wall_nm() for charges up to `largest_charge_e`; 0 without charges.
[[nodiscard]] double wall_nm(const topology::Electrostatics& electrostatics,
                             double largest_charge_e, double force);

}  // namespace nfold::forces
