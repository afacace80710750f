// The partitioner that cuts where few contacts are: METIS on the graph of residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "domain/partition.hpp"
#include "domain/residue_graph.hpp"

namespace nfold::domain {

/// Contact clusters of equal work (or in proportion to `speed`, within about 2 %), with as little
/// weight cut as METIS finds. node: (ranks) number of each rank's node, or empty; the graph is then
/// cut over nodes first, so that the dearer borders stay inside them. Each rank gets a residue
/// where there are as many. The same map from the same input with one METIS library: on several
/// machines, one rank makes it for all. Throws as other partitioners do.
[[nodiscard]] Ownership contact_clusters(const ResidueGraph& graph, std::span<const double> work,
                                         int rank_count, std::span<const double> speed = {},
                                         std::span<const int> node = {});

}  // namespace nfold::domain
