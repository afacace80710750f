// Sequential reference forces and energies in double, for tests of every kernel.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::forces {

using Vector = std::array<double, 3>;

/// Largest force of any single term on any residue.
struct StrongestTerm {
  double force_kj_mol_nm = 0;
  std::string name;  ///< "bond MET 1 (chain A) - GLN 2 (chain A)"
  int residue = -1;
};

struct ReferenceForces {
  double bond = 0, angle = 0, dihedral = 0, restraint = 0, contact = 0, short_range = 0,
         electrostatic = 0;   ///< [kJ/mol]
  std::vector<Vector> force;  ///< (residues) [kJ/mol/nm]
  StrongestTerm strongest;
};

/// Computes forces at x_nm (residues). Pairs by cells, in order of id; sums in floating point.
[[nodiscard]] ReferenceForces reference_forces(const topology::Topology& topology,
                                               const std::vector<Vector>& x_nm);

}  // namespace nfold::forces
