// Tree of cuts across the axis along which residues are spread furthest.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/rank_blocks.hpp"

#include <algorithm>
#include <limits>

namespace nfold::domain {

struct RankBlocks::Node {
  Cuboid cuboid;
  int first_rank = 0, rank_count = 1;
  std::unique_ptr<Node> lower = {}, upper = {};
};

RankBlocks::RankBlocks(const DensityGrid& density, int rank_count, int ranks_per_node)
    : density_(density),
      ranks_per_node_(ranks_per_node),
      root_(new Node{density.extent(), 0, rank_count}) {}
RankBlocks::~RankBlocks() = default;

double RankBlocks::share_of_rank() const { return 1.0 / root_->rank_count; }

void RankBlocks::split(Node& node) const {
  if (node.lower) return;
  const int nodes = (node.rank_count + ranks_per_node_ - 1) / ranks_per_node_;
  const int lower_ranks = nodes > 1 ? nodes / 2 * ranks_per_node_ : node.rank_count / 2;
  const double lower_part = static_cast<double>(lower_ranks) / node.rank_count;
  std::size_t widest = 0;
  double widest_nm = -1, cut_nm = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = density_.quantiles<3>(node.cuboid, k, {0.1, 0.9, lower_part});
    if (at[1] - at[0] <= widest_nm) continue;
    widest = k;
    widest_nm = at[1] - at[0];
    cut_nm = at[2];
  }
  const int upper_ranks = node.rank_count - lower_ranks;
  node.lower.reset(new Node{node.cuboid, node.first_rank, lower_ranks});
  node.upper.reset(new Node{node.cuboid, node.first_rank + lower_ranks, upper_ranks});
  node.lower->cuboid.high_nm[widest] = cut_nm;
  node.upper->cuboid.low_nm[widest] = cut_nm;
}

const RankBlocks::Node& RankBlocks::find(int rank, int rank_count) const {
  Node* node = root_.get();
  while (node->rank_count > rank_count) {
    split(*node);
    node = (rank < node->upper->first_rank ? node->lower : node->upper).get();
  }
  return *node;
}

const Cuboid& RankBlocks::block(int rank) const { return find(rank, 1).cuboid; }

RankBlocks::Nearness RankBlocks::nearness(const Cuboid& block, const Cuboid& other,
                                          double range_nm) const {
  double gap_squared = 0;
  bool is_inside = true;
  for (std::size_t k = 0; k < 3; ++k) {
    const double box_nm = density_.box().length_nm[k], reach_nm = reach(block, k, range_nm);
    const double low = block.low_nm[k], high = block.high_nm[k];
    double gap_nm = std::numeric_limits<double>::max();
    bool is_inside_axis = false;
    for (const double shift_nm : {0.0, box_nm, -box_nm}) {
      const double other_low = other.low_nm[k] + shift_nm, other_high = other.high_nm[k] + shift_nm;
      gap_nm = std::min(gap_nm, std::max({0.0, other_low - high, low - other_high}));
      is_inside_axis |= other_low >= low - reach_nm && other_high <= high + reach_nm;
    }
    gap_squared += gap_nm * gap_nm;
    is_inside &= is_inside_axis;
  }
  if (gap_squared > range_nm * range_nm) return Nearness::beyond;
  return is_inside ? Nearness::inside : Nearness::partly;
}

template <class Visit>
void RankBlocks::for_each_near(Node& node, const Cuboid& block, double range_nm,
                               const Visit& visit) const {
  const auto near = nearness(block, node.cuboid, range_nm);
  if (near == Nearness::beyond) return;
  if (node.rank_count == 1 || near == Nearness::inside) {
    visit(node);
    return;
  }
  split(node);
  for_each_near(*node.lower, block, range_nm, visit);
  for_each_near(*node.upper, block, range_nm, visit);
}

double RankBlocks::reach(const Cuboid& block, std::size_t axis, double range_nm) const {
  const double box_nm = density_.box().length_nm[axis];
  if (!(box_nm > 0)) return range_nm;
  return std::clamp(0.5 * (box_nm - block.length_nm(axis)), 0.0, range_nm);
}

Cuboid RankBlocks::widened(Cuboid block, double range_nm) const {
  for (std::size_t k = 0; k < 3; ++k) {
    const double reach_nm = reach(block, k, range_nm);
    block.low_nm[k] -= reach_nm;
    block.high_nm[k] += reach_nm;
  }
  return block;
}

double RankBlocks::share_around(const Cuboid& block, double range_nm) const {
  // With its edges and corners: cells of a third of the range reach nearly all of them.
  return std::max(0.0, density_.share(widened(block, range_nm)) - share_of_rank());
}

BlockPeers RankBlocks::peers(int rank, double range_nm) const {
  const auto& own = block(rank);
  const auto& home = find(rank, ranks_per_node_);  // block of the whole node
  BlockPeers peers{.all = -1};                     // does not count the rank itself
  for_each_near(*root_, own, range_nm, [&](const Node& node) {
    const int first = std::max(home.first_rank, node.first_rank);
    const int last = std::min(home.first_rank + home.rank_count, node.first_rank + node.rank_count);
    peers.all += node.rank_count;
    peers.far += node.rank_count - std::max(0, last - first);
  });
  if (peers.far == 0) return peers;
  const auto around = widened(own, range_nm);
  const double all = density_.share(around);
  const double outside = std::max(all - share_of_rank(), 1e-12);
  peers.far_share = std::min(1.0, (all - density_.share(around, home.cuboid)) / outside);
  return peers;
}

}  // namespace nfold::domain
