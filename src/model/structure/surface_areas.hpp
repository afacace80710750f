// Solvent-accessible surface areas of residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/structure/structure.hpp"

namespace nfold::structure {

/// Returns the solvent-accessible area of each residue [nm^2], consecutive over all chains: Shrake
/// and Rupley, J. Mol. Biol. 79, 351 (1973), with 1920 points an atom and a probe of 0.14 nm. All
/// heavy atoms of the structure cover each other; hydrogens, water and ligands are not part of it.
/// A residue without atoms has no area (0).
[[nodiscard]] std::vector<double> surface_areas(const Structure& structure);

/// Parses the area of each residue [nm^2], a number a line; `#` begins a comment. Throws
/// StructureError for anything else and for another count than `residues`.
[[nodiscard]] std::vector<double> parse_areas(std::string_view text, const std::string& name,
                                              int residues);

}  // namespace nfold::structure
