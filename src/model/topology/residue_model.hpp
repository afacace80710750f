// Builder of condensate models: one molecule from its structure or sequence.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "input/residue_table.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/confidence_go.hpp"
#include "model/topology/go_model.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Parameters of a condensate model.
struct ResidueModel {
  input::ResidueTable table;
  input::CondensateSettings options;  ///< completed by input::with_table_values()
  double temperature_kelvin = 300;    ///< used for the dielectric constant and the Debye length
  GoModel go;                         ///< used for folded domains, if options.domains == go
  ConfidenceGo confidence_go;         ///< used if options.domains == confidence_go
};

/// Builds one molecule: residues with their types, masses and charges, bonds, terms that hold its
/// folded domains, exclusions and the system's potentials. `domain_of` is the domain of each
/// residue (folded_domains()). Throws structure::StructureError for a residue that the table does
/// not contain, for a domain without coordinates and for geometry that no term supports.
[[nodiscard]] Topology build_residue_model(const structure::Structure& structure,
                                           const std::vector<int>& domain_of,
                                           const ResidueModel& model);

/// Returns the charge of a histidine [e], 1/(1 + 10^(pH - pKa)), rounded to 1e-12 so that it is
/// equal on every machine.
[[nodiscard]] double histidine_charge(double ph, double pka);

/// Returns the place of a bead in a structure: the centre of mass of the residue's heavy atoms, or
/// the C-alpha position [nm].
[[nodiscard]] std::array<double, 3> bead_position_nm(const Residue& bead,
                                                     const structure::Residue& residue);
/// Returns the centre of mass of the heavy atoms [nm]; the C-alpha position if there are no others.
[[nodiscard]] std::array<double, 3> centre_of_mass_nm(const structure::Residue& residue);

}  // namespace nfold::topology
