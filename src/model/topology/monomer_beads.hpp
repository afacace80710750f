// Beads of a monomer: their types in the force field, and their positions in a structure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "input/force_field.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/residue.hpp"

namespace nfold::topology {

/// A residue with the names of its structure and chain, for errors.
struct PlacedMonomer {
  const std::string &structure, &chain;
  const structure::Residue& residue;
};

/// Returns the bead types of a monomer of a chain kind, outside folded domains. Throws
/// structure::StructureError with the choices for a monomer that the kind or force field lacks.
[[nodiscard]] std::vector<int> bead_types(const PlacedMonomer& monomer,
                                          const input::ChainKind& kind,
                                          const input::ForceField& field);

/// Returns the position of a nucleotide's bead [nm]. One bead: the residue's own position, or its
/// centre of mass. Two: P and N9 or N1, or the centres of backbone and base. Throws
/// structure::StructureError for a missing atom and for more beads.
[[nodiscard]] std::array<double, 3> nucleotide_bead_nm(const PlacedMonomer& monomer,
                                                       std::size_t role, std::size_t roles,
                                                       bool at_centre_of_mass);

/// Returns the position of a protein's bead in a structure: the centre of mass of the residue's
/// heavy atoms, or the C-alpha position [nm].
[[nodiscard]] std::array<double, 3> bead_position_nm(const Residue& bead,
                                                     const structure::Residue& residue);

/// Returns the centre of mass of the heavy atoms [nm]; the C-alpha position if there are no others.
[[nodiscard]] std::array<double, 3> centre_of_mass_nm(const structure::Residue& residue);

}  // namespace nfold::topology
