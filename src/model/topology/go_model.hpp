// Builder of the C-alpha structure-based model (Clementi-Onuchic) from a structure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/structure/structure.hpp"
#include "model/topology/topology.hpp"
#include "system/methods.hpp"

namespace nfold::topology {

/// Constants of SMOG 2's SBM_calpha; energies are in units of epsilon.
struct GoModel {
  double epsilon_kj_mol = 1;
  double mass_amu = 1;
  double bond_k = 20000;  ///< epsilon / nm^2
  double angle_k = 40;    ///< epsilon / rad^2
  double dihedral_k1 = 1, dihedral_k3 = 0.5;
  system::ContactPotential contact_potential = system::ContactPotential::lennard_jones_12_10;
  double contact_epsilon = 1;
  double gaussian_sigma_nm = 0.05;
  double gaussian_a_nm12 = 1.6777216e-5;  ///< epsilon nm^12
  double repulsion_epsilon = 1;
  double repulsion_sigma_nm = 0.4;
  double repulsion_cutoff_nm = 1.1;
  structure::ContactOptions contacts;
  /// A residue of a predicted structure with a lower pLDDT is free: in no native angle, dihedral or
  /// contact. 0: none is free.
  double least_plddt = structure::confident_plddt;
  int copies = 1;              ///< copies of the whole structure
  double copy_spacing_nm = 0;  ///< spacing of the cubic lattice of copies; 0: extent + 2 nm
};

/// Builds the model. Throws structure::StructureError naming residues if a term is impossible
/// (coincident residues, collinear angle for a dihedral).
[[nodiscard]] Topology build_go_model(const structure::Structure& structure, const GoModel& model);

}  // namespace nfold::topology
