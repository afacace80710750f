// The go model's terms inside folded domains of a condensate model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "structure/structure.hpp"
#include "topology/go_model.hpp"
#include "topology/topology.hpp"

namespace nfold::topology {

/// Adds the bonds, angles, dihedrals and native contacts whose residues all stand in one domain, as
/// build_go_model() makes them; such a bond replaces the one that is there. Their pairs are
/// excluded from the pair potentials; exclusions need sorting then. Masses and charges stay.
/// Throws structure::StructureError as build_go_model().
void add_go_domains(Topology& topology, const structure::Structure& structure,
                    const GoModel& model);

}  // namespace nfold::topology
