// Heavy atoms of a structure in one list, with their covalent bonds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "structure/point.hpp"
#include "structure/structure.hpp"

namespace nfold::structure {

struct AllAtom {
  std::vector<Point> position_nm;        ///< (atoms)
  std::vector<int> residue;              ///< (atoms) consecutive index over all chains
  std::vector<int> chain;                ///< (atoms)
  std::vector<std::vector<int>> bonded;  ///< (atoms) neighbours by a covalent bond

  [[nodiscard]] int size() const { return static_cast<int>(position_nm.size()); }
  [[nodiscard]] bool are_bonded(int a, int b) const;
  /// Joined by one to three bonds, that is by a bond or by a dihedral.
  [[nodiscard]] bool within_dihedral(int a, int b) const;
};

/// All heavy atoms of the residue's template are there; those of the backbone alone for unknown
/// residues.
[[nodiscard]] bool has_all_atoms(const Residue& residue);

/// Bonds are those of the 20 residues' templates and the peptide bonds of `bonded_to_next`; an atom
/// that its template does not know (modified residues) is bonded to those of its residue within
/// 0.2 nm. No disulfides: a template does not know which cysteines pair.
[[nodiscard]] AllAtom all_atoms(const Structure& structure);

}  // namespace nfold::structure
