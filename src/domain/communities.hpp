// Communities of a graph of residues: parts with more edges inside than a random graph would have.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "domain/residue_graph.hpp"

namespace nfold::domain {

/// (residues) The community of each, numbered from 0 by first residues, of locally largest
/// modularity (Louvain: Blondel et al., J. Stat. Mech. 2008, P10008). Residues move in their order
/// and no random number is used, so the same graph gives the same communities.
[[nodiscard]] std::vector<int> communities(const ResidueGraph& graph);

}  // namespace nfold::domain
