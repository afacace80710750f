// Elastic network that keeps the shape of folded domains.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Adds U = (k/2)(r - r_ref)^2 between residues of one domain that are closer than the cutoff in
/// the reference coordinates and are not adjacent along the chain (Cao et al., Protein Sci. 33,
/// e5172 (2024)). Each such pair is excluded from the pair potentials. Appends to restraints and
/// exclusions, which then need sorting. Throws structure::StructureError for two coincident
/// residues.
void add_elastic_network(Topology& topology, double k_kj_mol_nm2, double cutoff_nm);

}  // namespace nfold::topology
