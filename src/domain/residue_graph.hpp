// Which residues a cut should leave together, as a graph with whole-number weights.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::domain {

/// Every edge stands at both of its residues.
struct ResidueGraph {
  std::vector<std::int64_t> first;  ///< (residues + 1) where a residue's edges begin
  std::vector<int> neighbour;       ///< ascending for each residue
  std::vector<int> weight;          ///< in pairs of the neighbour list
};

/// Residues nearer than this are tied, so that borders are short in space too.
inline constexpr double near_nm = 0.9;

/// Weighs what a cut between two residues costs: a term is computed twice, and a residue near
/// another rank's, or in native contact with one, is a ghost there. Positions of all residues, by
/// id. The same on every rank.
[[nodiscard]] ResidueGraph residue_graph(const topology::Topology& topology,
                                         std::span<const system::FixedPosition> positions);

/// Of these residues (ascending) alone; row k is residues[k].
[[nodiscard]] ResidueGraph part_of(const ResidueGraph& graph, std::span<const int> residues);

}  // namespace nfold::domain
