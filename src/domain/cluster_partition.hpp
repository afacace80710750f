// Partitioner that cuts few contacts: METIS on the graph of residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "domain/partition.hpp"
#include "domain/residue_graph.hpp"

namespace nfold::domain {

/// Returns contact clusters of equal work (or in proportion to `speed`, within about 2 %), with as
/// little edge weight cut as METIS finds. Each rank gets a residue if there are as many. The same
/// partition from the same input with one METIS library: on several machines, one rank makes it for
/// all. Throws like the other partitioners.
[[nodiscard]] Ownership contact_clusters(const ResidueGraph& graph, std::span<const double> work,
                                         int rank_count, std::span<const double> speed = {},
                                         std::span<const int> node = {});

}  // namespace nfold::domain
