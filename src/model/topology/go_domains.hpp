// Terms of the go model inside folded domains of a condensate model.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "input/force_field.hpp"
#include "model/structure/structure.hpp"
#include "model/topology/go_model.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Adds the bonds, angles, dihedrals and native contacts of build_go_model() whose residues are all
/// in one domain; such a bond replaces the existing one. Ends of angles and dihedrals are excluded
/// from the pair potentials, and contacts from those that `native` leaves out, if they are not
/// excluded already; exclusions then need sorting. Masses and charges are unchanged. Throws
/// structure::StructureError like build_go_model().
void add_go_domains(Topology& topology, const structure::Structure& structure, const GoModel& model,
                    input::NativePairs native);

}  // namespace nfold::topology
