// Factors of folded residues' pairs by their solvent-accessible areas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "input/force_field.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Sets the site factors of residues of domains, by Structure::areas_nm2 or else by the areas of
/// their atoms, with a note. The force field has a site_factor; the topology is that of the
/// structure. Throws structure::StructureError for a residue without its atoms and without a given
/// area, if its factor depends on one.
void add_site_factors(Topology& topology, const structure::Structure& structure,
                      const input::ForceField& field);

}  // namespace nfold::topology
