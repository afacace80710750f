// How near pairs must be for their force to become large: from bounds, not from samples.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/topology.hpp"

namespace nfold::forces {

/// A distance [nm], at most the cutoff, beyond which no pair of any types exceeds `force`
/// [kJ/mol/nm]: bounds of the potentials' slopes that fall with the distance, whatever their signs.
/// The cutoff where they stay above it.
[[nodiscard]] double wall_nm(const topology::ShortRange& short_range, double force);
/// The same of charges up to `largest_charge_e`; 0 where there are none.
[[nodiscard]] double wall_nm(const topology::Electrostatics& electrostatics,
                             double largest_charge_e, double force);

}  // namespace nfold::forces
