// Builder of the models for condensates: one molecule from its structure or sequence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "config/residue_table.hpp"
#include "structure/structure.hpp"
#include "topology/go_model.hpp"
#include "topology/topology.hpp"

namespace nfold::topology {

/// What a model is made of.
struct ResidueModel {
  config::ResidueTable table;
  config::CondensateSettings options;  ///< completed by config::with_table_values()
  double temperature_kelvin = 300;     ///< of the dielectric constant and the Debye length
  GoModel go;                          ///< of folded domains, with options.domains == go
};

/// One molecule: residues with their types, masses and charges, bonds, what holds its folded
/// domains, exclusions and the system's potentials. `domain_of` has the domain of each residue
/// (folded_domains()). Throws structure::StructureError for a residue the table does not have, for
/// a domain without coordinates and for geometry that no term can hold.
[[nodiscard]] Topology build_residue_model(const structure::Structure& structure,
                                           const std::vector<int>& domain_of,
                                           const ResidueModel& model);

/// Charge of a histidine, 1/(1 + 10^(pH - pKa)), to 1e-12 e: the same on every machine.
[[nodiscard]] double histidine_charge(double ph, double pka);

/// Centre of mass of the heavy atoms [nm]; the C-alpha atom if that is all there is.
[[nodiscard]] std::array<double, 3> centre_of_mass_nm(const structure::Residue& residue);

}  // namespace nfold::topology
