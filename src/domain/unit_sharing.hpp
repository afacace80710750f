// Units of work that must stay whole, shared out over groups; and the ranks of nodes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "domain/partition.hpp"

namespace nfold::domain {

struct TiedUnit {
  double work = 0;
  std::vector<std::pair<int, double>> ties;  ///< another unit, and what cutting it off costs
};

/// (units) The group of each, of which group g is to get part[g] of the work. The largest first to
/// a group with room that it has most ties to, else to the least loaded; then single moves and
/// exchanges as long as the most loaded group gets less or, once it has no more than 3 % over its
/// part, less is cut. The same from `start` (units), if there is one, and the better of both.
[[nodiscard]] std::vector<std::size_t> shared_units(std::span<const TiedUnit> units,
                                                    std::span<const double> part,
                                                    std::span<const std::size_t> start = {});

/// Ranks of one node, with the part of the work that each is to get.
struct NodeRanks {
  std::vector<int> ranks;
  std::vector<double> part;
};
/// By ascending number of node. node: (ranks) or empty, all on one. Throws std::invalid_argument
/// unless it is one of these.
[[nodiscard]] std::vector<NodeRanks> ranks_by_node(const WorkShares& shares,
                                                   std::span<const int> node);
/// (nodes) The sum of each one's parts.
[[nodiscard]] std::vector<double> parts_of_nodes(std::span<const NodeRanks> nodes);

}  // namespace nfold::domain
