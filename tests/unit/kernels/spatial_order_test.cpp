// Spatial order of cells on a GPU, and order of collected members.
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/cuda/spatial_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <vector>

namespace nfold::kernels {
namespace {

using Bits = std::array<int, 3>;

std::vector<int> ranks(const Bits& bits) {
  std::vector<int> rank(std::size_t{1} << static_cast<unsigned>(bits[0] + bits[1] + bits[2]), -1);
  const IndexCellsAlongCurve loop{{bits[0], bits[1], bits[2]}, rank.data()};
  for (int cell = 0; cell < static_cast<int>(rank.size()); ++cell) loop(cell);
  return rank;
}

Bits coordinates(int cell, const Bits& bits) {
  return {cell & ((1 << bits[0]) - 1), (cell >> bits[0]) & ((1 << bits[1]) - 1),
          cell >> (bits[0] + bits[1])};
}

TEST(SpatialOrder, RanksAreAPermutation) {
  for (const Bits& bits : {Bits{3, 3, 3}, Bits{2, 2, 5}, Bits{4, 1, 2}, Bits{0, 3, 1}}) {
    const auto rank = ranks(bits);
    std::vector<char> taken(rank.size(), 0);
    for (const int r : rank) {
      ASSERT_GE(r, 0);
      ASSERT_LT(r, static_cast<int>(rank.size()));
      EXPECT_EQ(taken[static_cast<std::size_t>(r)]++, 0);
    }
  }
}

TEST(SpatialOrder, CurveHasNoJumpsWithinACube) {
  const Bits bits{4, 4, 4};
  const auto rank = ranks(bits);
  std::vector<int> cell_at(rank.size());
  for (std::size_t c = 0; c < rank.size(); ++c) {
    cell_at[static_cast<std::size_t>(rank[c])] = static_cast<int>(c);
  }
  for (std::size_t r = 1; r < rank.size(); ++r) {
    const Bits a = coordinates(cell_at[r - 1], bits), b = coordinates(cell_at[r], bits);
    EXPECT_EQ(std::abs(a[0] - b[0]) + std::abs(a[1] - b[1]) + std::abs(a[2] - b[2]), 1) << r;
  }
}

TEST(SpatialOrder, CoarseCellsAreContiguous) {
  for (const Bits& bits : {Bits{4, 4, 4}, Bits{2, 3, 5}, Bits{1, 1, 1}}) {
    const Bits half{bits[0] - 1, bits[1] - 1, bits[2] - 1};
    const auto fine = ranks(bits), coarse = ranks(half);
    for (int cell = 0; cell < static_cast<int>(fine.size()); ++cell) {
      const Bits at = coordinates(cell, bits);
      const int parent = ((((at[2] / 2) << half[1]) + at[1] / 2) << half[0]) + at[0] / 2;
      EXPECT_EQ(fine[static_cast<std::size_t>(cell)] / 8, coarse[static_cast<std::size_t>(parent)]);
    }
  }
}

// Collects owned rows and ghosts in two parts. A scan may process each part in pieces.
TEST(CollectMembers, KeepsRowOrder) {
  const std::vector<int> tag{0, 5, 0, 7, 7, 0, 1}, id{3, 0, 1, 6, 2, 4, 5, 1};
  std::vector<int> row(id.size(), -1), slot(id.size(), 9);
  const auto collect = [&](int first, int last, int members) {
    const CollectMembers<int> loop{tag.data(), id.data(), first, members, row.data(), slot.data()};
    int found = 0;
    for (int item = 0; item < last - first; ++item) loop(item, found, false);
    int sum = 0;
    for (int item = 0; item < last - first; ++item) loop(item, sum, true);
    EXPECT_EQ(sum, found);
    return members + found;
  };
  const int owned = collect(0, 4, 0);
  EXPECT_EQ(owned, 3);
  EXPECT_EQ(collect(4, 8, owned), 5);
  EXPECT_EQ(row, (std::vector<int>{0, 2, 3, 5, 7, -1, -1, -1}));
  EXPECT_EQ(slot, (std::vector<int>{9, -1, 9, 9, -1, 9, -1, 9}));  // unchanged for members
}

}  // namespace
}  // namespace nfold::kernels
