// Partitioner that keeps structural domains whole, and the residues of each domain.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "domain/partition.hpp"
#include "domain/residue_graph.hpp"

namespace nfold::domain {

/// (residues) The domain of each, from 0. Domains in `given` (residues; -1: none) take precedence;
/// if it is empty, the folded domains of the topology; without these, communities of each
/// molecule's graph. Residues between two domains of a chain go half to each, those at an end to
/// the nearest one; a chain without domains is one.
[[nodiscard]] std::vector<int> structural_domains(const topology::Topology& topology,
                                                  const ResidueGraph& graph,
                                                  std::span<const int> given = {});

/// Distributes whole domains so that the busiest rank has the least work and edge weight cut. A
/// domain with more work than a rank's part is first cut into clusters. A rank may get none. Throws
/// like the other partitioners.
[[nodiscard]] Ownership whole_domains(const ResidueGraph& graph, std::span<const int> domain_of,
                                      std::span<const double> work, int rank_count,
                                      std::span<const double> speed = {},
                                      std::span<const int> node = {});

}  // namespace nfold::domain
