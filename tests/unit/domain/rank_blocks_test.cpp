// Blocks of ranks and their borders, against recursive bisection of residues.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/rank_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "domain/ghost_count.hpp"
#include "domain/space_partition.hpp"

namespace nfold::domain {
namespace {

using Shape = DensityGrid::Shape;

struct Region {
  const char* name;
  system::Box box;
  std::array<double, 3> size_nm;
  Shape shape;
};
const Region regions[] = {{"box", {{15, 15, 15}}, {15, 15, 15}, Shape::cuboid},
                          {"slab", {{10, 10, 60}}, {10, 10, 30}, Shape::cuboid},
                          {"droplet", {{30, 30, 30}}, {18, 18, 18}, Shape::ball},
                          {"open", {}, {12, 14, 20}, Shape::cuboid}};

std::vector<system::FixedPosition> random_positions(const Region& region, std::size_t count) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-0.5, 0.5);
  std::vector<system::FixedPosition> positions;
  while (positions.size() < count) {
    const std::array<double, 3> x{place(random), place(random), place(random)};
    if (region.shape == Shape::ball && std::hypot(x[0], x[1], x[2]) > 0.5) continue;
    auto& to = positions.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      to[k] = region.box.to_counts(k, region.size_nm[k] * (x[k] + 0.5));
    }
  }
  return positions;
}

TEST(RankBlocks, HaveEqualSharesOfAnyRegion) {
  for (const auto& region : regions) {
    const DensityGrid density(region.box, region.size_nm, region.shape);
    EXPECT_NEAR(density.share(density.extent()), 1, 1e-9) << region.name;
    for (const int ranks : {1, 2, 7, 13, 41, 64}) {
      const RankBlocks blocks(density, ranks, ranks);
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_NEAR(density.share(blocks.block(rank)), 1.0 / ranks, 1e-9) << region.name;
      }
    }
  }
}

TEST(RankBlocks, BorderOfAnOctantMatchesItsVolume) {
  const Region& box = regions[0];
  const DensityGrid density(box.box, box.size_nm, box.shape);
  constexpr double h = 2, a = 7.5;
  const double around = 6 * a * a * h + 12 * a * h * h + 8 * h * h * h;
  const RankBlocks blocks(density, 8, 8);
  EXPECT_NEAR(blocks.share_around(blocks.block(5), h), around / (8 * a * a * a), 1e-9);
  const auto peers = blocks.peers(5, h);
  EXPECT_EQ(peers.all, 7);
  EXPECT_EQ(peers.far, 0);
  EXPECT_EQ(peers.far_share, 0);
  // Two nodes of four ranks: two of six sides face the other node.
  const auto of_two = RankBlocks(density, 8, 4).peers(5, h);
  EXPECT_EQ(of_two.all, 7);
  EXPECT_EQ(of_two.far, 4);
  EXPECT_GT(of_two.far_share, 0.3);
  EXPECT_LT(of_two.far_share, 0.6);
}

TEST(RankBlocks, RangeBeyondTheBoxCountsEveryResidueOnce) {
  const Region& slab = regions[1];
  const DensityGrid density(slab.box, slab.size_nm, slab.shape);
  for (const int ranks : {13, 500}) {
    const RankBlocks blocks(density, ranks, ranks);
    EXPECT_LE(blocks.share_around(blocks.block(4), 200), 1 - 1.0 / ranks + 1e-9);
    EXPECT_EQ(blocks.peers(4, 200).all, ranks - 1);
  }
}

/// Ranks that recursive bisection and an exact search find near each rank, at most.
int most_peers(const system::Box& box, std::span<const system::FixedPosition> positions,
               const Ownership& owner, int ranks, double range_nm) {
  std::vector<std::set<int>> peers(static_cast<std::size_t>(ranks));
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (owner[i] == owner[j]) continue;
      double squared = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = box.nearest_nm(k, box.to_nm(k, positions[i][k] - positions[j][k]));
        squared += d * d;
      }
      if (squared > range_nm * range_nm) continue;
      peers[static_cast<std::size_t>(owner[i])].insert(owner[j]);
      peers[static_cast<std::size_t>(owner[j])].insert(owner[i]);
    }
  }
  return static_cast<int>(
      std::ranges::max_element(peers, {}, [](const auto& one) { return one.size(); })->size());
}

TEST(RankBlocks, MatchBisectionOfResidues) {
  constexpr double range_nm = 2, wider_nm = range_nm * 7 / 6;
  for (const auto& region : regions) {
    const auto positions = random_positions(region, 3000);
    const std::vector<double> work(positions.size(), 1);
    const DensityGrid assumed(region.box, region.size_nm, region.shape);
    const DensityGrid counted(region.box, positions);
    for (const int ranks : {2, 3, 7, 13, 24, 64}) {
      const auto owner = recursive_bisection(region.box, positions, work, ranks);
      const auto ghosts = count_ghosts(region.box, positions, owner, ranks, range_nm);
      const auto most = static_cast<double>(*std::ranges::max_element(ghosts));
      const auto peers =
          static_cast<double>(most_peers(region.box, positions, owner, ranks, wider_nm));
      for (const DensityGrid* const density : {&assumed, &counted}) {
        const RankBlocks blocks(*density, ranks, ranks);
        double share = 0;
        int found = 0;
        for (int rank = 0; rank < ranks; ++rank) {
          share = std::max(share, blocks.share_around(blocks.block(rank), wider_nm));
          found = std::max(found, blocks.peers(rank, wider_nm).all);
        }
        EXPECT_NEAR(3000 * share, most, 0.25 * most) << region.name << " " << ranks;
        EXPECT_NEAR(found, peers, 1 + 0.35 * peers) << region.name << " " << ranks;
      }
    }
  }
}

}  // namespace
}  // namespace nfold::domain
