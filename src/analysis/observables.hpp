// What a person looks at in a frame: Q, radius of gyration, RMSD to native.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "analysis/superposition.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::analysis {

/// (residues) unwrapped positions [nm] of a state that holds all residues in order.
[[nodiscard]] std::vector<Point> positions_nm(const topology::Box& box,
                                             const system::State& state);

/// Hard native-contact fraction: r_ij <= factor * d_ij, unweighted; 0 without contacts.
[[nodiscard]] double native_contact_fraction(const topology::Topology& topology,
                                             std::span<const Point> x_nm, double factor = 1.2);
/// Mass-weighted, as MDAnalysis' radius_of_gyration [nm].
[[nodiscard]] double radius_of_gyration_nm(const topology::Topology& topology,
                                           std::span<const Point> x_nm);
/// After the best superposition onto native (unweighted) [nm]; Theobald, Acta Cryst. A 61, 478
/// (2005).
[[nodiscard]] double rmsd_to_native_nm(const topology::Topology& topology,
                                       std::span<const Point> x_nm);

}  // namespace nfold::analysis
