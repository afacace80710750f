// Communities of a graph of residues: parts with more ties inside than chance would give them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "domain/residue_graph.hpp"

namespace nfold::domain {

/// (residues) Number of each one's community, from 0 by their first residues: of locally largest
/// modularity (Louvain: Blondel et al., J. Stat. Mech. 2008, P10008). Residues take turns in their
/// order and no number is random, so the same graph gives the same communities.
[[nodiscard]] std::vector<int> communities(const ResidueGraph& graph);

}  // namespace nfold::domain
