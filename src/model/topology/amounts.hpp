// Masses, charges and concentrations of a system, and their description.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Returns the real mass [amu], whatever the masses of the dynamics are.
[[nodiscard]] double total_mass(const Topology& topology);
/// Returns the total charge [e].
[[nodiscard]] double total_charge(const Topology& topology);
/// Returns the mass concentration [mg/ml]; 0 without a volume, as in an open box.
[[nodiscard]] double mass_concentration(double mass_amu, double volume_nm3);

/// Returns the number of molecules of this mass with this concentration in a closed box, rounded.
[[nodiscard]] double copies_at_mg_per_ml(double mg_per_ml, double molecule_mass_amu,
                                         const system::Box& box);
[[nodiscard]] double copies_at_millimolar(double millimolar, const system::Box& box);
/// Returns the cube in which this mass has this concentration.
[[nodiscard]] system::Box cube_at_mg_per_ml(double mg_per_ml, double mass_amu);

/// Returns the longest range of a pair potential [nm].
[[nodiscard]] double longest_range_nm(const Topology& topology);

/// Returns a line per species, and one for the box.
[[nodiscard]] std::vector<std::string> describe_amounts(const Topology& topology);

}  // namespace nfold::topology
