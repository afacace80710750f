// Heavy atoms of a structure in one list, with their covalent bonds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "model/structure/point.hpp"
#include "model/structure/structure.hpp"

namespace nfold::structure {

struct AllAtom {
  std::vector<Point> position_nm;        ///< (atoms)
  std::vector<int> residue;              ///< (atoms) consecutive index over all chains
  std::vector<int> chain;                ///< (atoms)
  std::vector<std::vector<int>> bonded;  ///< (atoms) neighbours by a covalent bond

  [[nodiscard]] int size() const { return static_cast<int>(position_nm.size()); }
  [[nodiscard]] bool are_bonded(int a, int b) const;
  /// True if one to three bonds connect the atoms, so that they share a bond, angle or dihedral.
  [[nodiscard]] bool within_dihedral(int a, int b) const;
};

/// True if the residue has all heavy atoms of its template; for unknown residues, all backbone
/// atoms.
[[nodiscard]] bool has_all_atoms(const Residue& residue);

/// Returns the heavy atoms with the bonds of the 20 residue templates and the peptide bonds of
/// `bonded_to_next`. An atom without a template (modified residues) is bonded to the atoms of its
/// residue within 0.2 nm. Disulfides are omitted: a template does not know which cysteines pair.
[[nodiscard]] AllAtom all_atoms(const Structure& structure);

}  // namespace nfold::structure
