// The partitioner that keeps structural domains whole, and which residues form one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "domain/partition.hpp"
#include "domain/residue_graph.hpp"

namespace nfold::domain {

/// (residues) Domain of each, from 0. Those in `given` (residues; -1: none) win; where it is empty,
/// the folded domains of the topology; where there are none, communities of each molecule's graph.
/// A stretch between two domains of a chain goes half to each, one at an end to its neighbour; a
/// chain without any is one.
[[nodiscard]] std::vector<int> structural_domains(const topology::Topology& topology,
                                                  const ResidueGraph& graph,
                                                  std::span<const int> given = {});

/// Domains as a whole, so that the busiest rank has the least work and weight cut. One with more
/// work than a rank's part is cut into clusters first. speed, node: as contact_clusters() has them;
/// domains go to nodes first. A rank may get none. Throws as other partitioners do.
[[nodiscard]] Ownership whole_domains(const ResidueGraph& graph, std::span<const int> domain_of,
                                      std::span<const double> work, int rank_count,
                                      std::span<const double> speed = {},
                                      std::span<const int> node = {});

}  // namespace nfold::domain
