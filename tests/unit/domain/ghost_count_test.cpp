// Ghosts of a partition against distances of all pairs.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/ghost_count.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "domain/space_partition.hpp"

namespace nfold::domain {
namespace {

std::vector<system::FixedPosition> uniform_positions(const system::Box& box, std::size_t count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> fraction(0, 1);
  std::vector<system::FixedPosition> positions(count);
  for (auto& x : positions) {
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = box.to_counts(k, box.length_nm[k] * fraction(random));
    }
  }
  return positions;
}

/// Number of residues of other ranks within range of any residue of the rank.
std::int64_t residues_within(const system::Box& box,
                             std::span<const system::FixedPosition> positions,
                             const Ownership& owner, int rank, double range_nm) {
  std::int64_t count = 0;
  for (std::size_t a = 0; a < positions.size(); ++a) {
    if (owner[a] == rank) continue;
    bool is_near = false;
    for (std::size_t b = 0; b < positions.size() && !is_near; ++b) {
      if (owner[b] != rank) continue;
      double squared_nm2 = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double apart =
            box.nearest_nm(k, box.to_nm(k, positions[a][k]) - box.to_nm(k, positions[b][k]));
        squared_nm2 += apart * apart;
      }
      is_near = squared_nm2 < range_nm * range_nm;
    }
    count += is_near ? 1 : 0;
  }
  return count;
}

TEST(CountGhosts, CoversNeighboursButNotWholeBox) {
  const system::Box box{{30, 10, 10}};
  const auto positions = uniform_positions(box, 900);
  // Three slabs of 10 nm along x: each rank has a neighbour on either side, one across the
  // boundary.
  Ownership owner;
  for (const auto& x : positions) owner.push_back(static_cast<int>(box.to_nm(0, x[0]) / 10));
  const auto counted = count_ghosts(box, positions, owner, 4, 2.0);
  for (const int rank : {0, 1, 2}) {
    std::int64_t near = 0, all = 0;
    for (std::size_t id = 0; id < positions.size(); ++id) {
      if (owner[id] == rank) continue;
      ++all;
      const double middle_nm = 10 * rank + 5;
      near += std::abs(box.nearest_nm(0, box.to_nm(0, positions[id][0]) - middle_nm)) < 7 ? 1 : 0;
    }
    const auto ghosts = counted[static_cast<std::size_t>(rank)];
    EXPECT_GE(ghosts, near);
    EXPECT_LT(ghosts, 1.7 * static_cast<double>(near));
    EXPECT_LT(ghosts, all);
  }
  EXPECT_EQ(counted[3], 0);
  EXPECT_EQ(count_ghosts(box, positions, Ownership(900, 0), 1, 2.0).front(), 0);
}

/// Edges of neighbouring cells are within a third of the range: residues are less than four thirds
/// of the range apart along each axis, and slightly more if cells do not divide the box.
TEST(CountGhosts, IsBetweenResiduesInRangeAndInCells) {
  const system::Box box{{38, 29, 17}};
  const auto positions = uniform_positions(box, 3000);
  const std::vector<double> work(positions.size(), 1);
  constexpr int ranks = 5;
  for (const auto& owner : {recursive_bisection(box, positions, work, ranks),
                            random_owners(static_cast<int>(positions.size()), ranks, 1)}) {
    const auto counted = count_ghosts(box, positions, owner, ranks, 1.5);
    for (int rank = 0; rank < ranks; ++rank) {
      const auto ghosts = counted[static_cast<std::size_t>(rank)];
      EXPECT_GE(ghosts, residues_within(box, positions, owner, rank, 1.5));
      EXPECT_LE(ghosts,
                residues_within(box, positions, owner, rank, 1.1 * 1.5 * 4 / 3 * std::sqrt(3)));
    }
  }
}

}  // namespace
}  // namespace nfold::domain
