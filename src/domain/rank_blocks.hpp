// Blocks of space that recursive bisection gives to ranks, and their neighbours, without residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "domain/density_grid.hpp"

namespace nfold::domain {

/// Ranks with residues within range of a rank's block.
struct BlockPeers {
  int all = 0, far = 0;  ///< on any, and on other nodes
  double far_share = 0;  ///< part of the residues within range that are on other nodes
};

/// Blocks of recursive_bisection() with equal work per residue: any number of ranks in any
/// proportion, first over nodes of consecutive ranks, then over the ranks of each. Blocks are made
/// when they are first visited. Members are not thread-safe.
class RankBlocks {
 public:
  /// density must outlive it.
  RankBlocks(const DensityGrid& density, int rank_count, int ranks_per_node);
  ~RankBlocks();

  [[nodiscard]] const Cuboid& block(int rank) const;
  [[nodiscard]] BlockPeers peers(int rank, double range_nm) const;
  /// Returns the share of all residues outside of a rank's block and within range_nm of it.
  [[nodiscard]] double share_around(const Cuboid& block, double range_nm) const;

 private:
  struct Node;

  /// Share of all residues in the block of each rank.
  [[nodiscard]] double share_of_rank() const;
  void split(Node& node) const;
  /// Returns the first node from the root on that has the rank and at most rank_count ranks.
  [[nodiscard]] const Node& find(int rank, int rank_count) const;
  template <class Visit>
  void for_each_near(Node& node, const Cuboid& block, double range_nm, const Visit& visit) const;
  enum class Nearness { beyond, partly, inside };
  /// Returns how much of another cuboid is within range of a block.
  [[nodiscard]] Nearness nearness(const Cuboid& block, const Cuboid& other, double range_nm) const;
  /// Returns how far to look beyond each side of a block along an axis: no residue is seen twice.
  [[nodiscard]] double reach(const Cuboid& block, std::size_t axis, double range_nm) const;
  [[nodiscard]] Cuboid widened(Cuboid block, double range_nm) const;

  const DensityGrid& density_;
  int ranks_per_node_;
  std::unique_ptr<Node> root_;
};

}  // namespace nfold::domain
