// Start positions of a CALVADOS folder, as the package places its molecules.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "cli/calvados/folder.hpp"
#include "cli/calvados/molecule.hpp"

namespace nfold::calvados {

/// Returns `count` points of a staggered lattice in a box: its sides are filled in proportion to
/// the edges, every second layer is shifted by half a cell in x and y, every second point by half a
/// cell in z.
[[nodiscard]] std::vector<Point> lattice_points(std::size_t count, const Point& box_nm);

/// Returns the positions of all beads [nm]. molecules: (folder.components). Throws
/// core::InputError if a molecule finds no place.
[[nodiscard]] std::vector<Point> place_molecules(const Folder& folder,
                                                 const std::vector<ComponentMolecule>& molecules);

}  // namespace nfold::calvados
