// Springs that keep the shape of folded domains.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "topology/topology.hpp"

namespace nfold::topology {

/// U = (k/2)(r - r_ref)^2 between residues of one domain that are nearer than the cutoff in the
/// reference coordinates and are not neighbours along the chain (Cao et al., Protein Sci. 33, e5172
/// (2024)); each such pair is excluded from the pair potentials. Appends to restraints and
/// exclusions, which need sorting then. Throws structure::StructureError for two residues in one
/// place.
void add_elastic_network(Topology& topology, double k_kj_mol_nm2, double cutoff_nm);

}  // namespace nfold::topology
