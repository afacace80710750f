// How much of what is in a box: masses, concentrations, copies, and what a person wants to see.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::topology {

/// Real mass [amu], whatever the masses of the dynamics are.
[[nodiscard]] double mass_of(const Topology& topology);
/// [e]
[[nodiscard]] double charge_of(const Topology& topology);
/// [mg/ml]; 0 without a volume, as that of an open box.
[[nodiscard]] double mass_concentration(double mass_amu, double volume_nm3);

/// Molecules of this mass that make this concentration in a closed box, to the nearest whole one.
[[nodiscard]] double copies_at_mg_per_ml(double mg_per_ml, double molecule_mass_amu,
                                         const system::Box& box);
[[nodiscard]] double copies_at_millimolar(double millimolar, const system::Box& box);
/// The cube in which this mass has this concentration.
[[nodiscard]] system::Box cube_at_mg_per_ml(double mg_per_ml, double mass_amu);

/// The longest range of a pair potential [nm].
[[nodiscard]] double longest_range_nm(const Topology& topology);

/// A line a species, and one for the box.
[[nodiscard]] std::vector<std::string> describe_amounts(const Topology& topology);

}  // namespace nfold::topology
