// Elastic network that keeps the shape of folded domains.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "input/force_field.hpp"
#include "model/topology/topology.hpp"

namespace nfold::topology {

/// Adds U = (k/2)(r - r_ref)^2 between beads of one domain that are closer than the cutoff in the
/// reference coordinates (Cao et al., Protein Sci. 33, e5172 (2024)). Bonded pairs, excluded pairs
/// and beads of a segment that are nearer than min_separation have none. Each such pair is excluded
/// from the pair potentials if the network says so. networks: (chains); a pair of two chains takes
/// the first one's. Appends to restraints and exclusions, which then need sorting. Throws
/// structure::StructureError for two coincident beads.
void add_elastic_network(Topology& topology, const std::vector<input::Network>& networks);

}  // namespace nfold::topology
