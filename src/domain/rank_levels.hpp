// Ranks by node: partitioners divide residues over nodes first, then over the ranks of each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace nfold::domain {

/// Order of ranks in which every partitioner assigns residues: node by node, so that the ranks of a
/// node own one compact region and little crosses the network. On one node it is 0, 1, 2, ...
struct RankLevels {
  /// Ranks of one node, with the part of the work that each should get.
  struct Node {
    std::vector<int> ranks;
    std::vector<double> part;
  };

  /// speed: (ranks) relative speeds; empty: equal. node: (ranks) number of each rank's node; empty:
  /// one node. Throws std::invalid_argument for no ranks, for a speed that is not finite and above
  /// 0, and if speeds or nodes differ from the ranks in number.
  RankLevels(int rank_count, std::span<const double> speed = {}, std::span<const int> node = {});

  std::vector<int> ranks;           ///< (ranks) by node, ascending on each
  std::vector<double> part_before;  ///< (ranks + 1) 0 to 1: part of the work before each of them
  std::vector<int> node_begin;      ///< (nodes + 1) indices into ranks

  /// Returns how many of `count` ranks from index `first` a bisection puts on its lower side: those
  /// of half of the nodes, or half of the ranks of one node.
  [[nodiscard]] int lower_half(int first, int count) const;
  [[nodiscard]] std::vector<Node> nodes() const;
};

/// Throws std::invalid_argument for less than one rank.
void require_ranks(int rank_count);

/// Divides a set of residues over nodes, then the set of each node over its ranks: split(set, part)
/// returns a set for each part, assign(set, rank) takes that of a rank.
template <class Set, class Split, class Assign>
void divide_by_levels(const RankLevels& levels, Set all, const Split& split, const Assign& assign) {
  const auto nodes = levels.nodes();
  std::vector<double> node_parts;
  node_parts.reserve(nodes.size());
  for (const auto& node : nodes) {
    node_parts.push_back(std::accumulate(node.part.begin(), node.part.end(), 0.0));
  }
  auto of_nodes = split(std::move(all), node_parts);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto of_ranks = split(std::move(of_nodes[n]), nodes[n].part);
    for (std::size_t k = 0; k < of_ranks.size(); ++k) assign(of_ranks[k], nodes[n].ranks[k]);
  }
}

}  // namespace nfold::domain
