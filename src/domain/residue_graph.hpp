// Graph of residues for partitioning; an edge's weight is the cost of cutting it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// Each edge is stored at both of its residues.
struct ResidueGraph {
  std::vector<std::int64_t> first;  ///< (residues + 1) index of a residue's first edge
  std::vector<int> neighbour;       ///< ascending for each residue
  std::vector<int> weight;          ///< cost of cutting the edge [pairs of the neighbour list]
};

/// Distance below which residues have an edge, so that cuts are short in space too.
inline constexpr double edge_distance_nm = 0.9;

/// Returns the graph. Weights are the costs of a cut between two residues: a cut term is computed
/// on both ranks, and a residue near a residue of another rank, or in native contact with it,
/// becomes a ghost on that rank. positions: (residues) by id. The graph is the same on every rank.
[[nodiscard]] ResidueGraph residue_graph(const topology::Topology& topology,
                                         std::span<const system::FixedPosition> positions);

/// Returns the graph of these residues (ascending) alone; row k is residues[k].
[[nodiscard]] ResidueGraph subgraph(const ResidueGraph& graph, std::span<const int> residues);

}  // namespace nfold::domain
