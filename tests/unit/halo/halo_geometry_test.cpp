// Halo grids in any box, and the regions of them that two ranks share.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/halo/halo_geometry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace nfold::halo {
namespace {

using kernels::HaloGrid;

struct Case {
  system::Box box;
  std::array<double, 3> extent_nm;
  double range_nm, most_cells;
};
const Case cases[] = {
    {{{20, 30, 40}}, {0, 0, 0}, 1.5, 0x1p20},  {{{20, 30, 40}}, {0, 0, 0}, 1.5, 20000},
    {{{20, 30, 40}}, {0, 0, 0}, 1.5, 100},     {{{0.5, 1.4, 3}}, {0, 0, 0}, 1.5, 0x1p20},
    {{{1e6, 1e6, 1e6}}, {0, 0, 0}, 1, 0x1p20}, {{}, {30, 20, 10}, 1.5, 0x1p20},
    {{}, {1e9, 2, 3e8}, 1.5, 0x1p20},          {{}, {0, 0, 0}, 1.5, 0x1p20},
    {{{0, 700, 0}}, {300, 0, 900}, 2, 0x1p18},
};

bool are_within_reach(const HaloGrid& grid, const std::array<std::int64_t, 3>& a,
                      const std::array<std::int64_t, 3>& b) {
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    const int apart = std::abs(grid.cell_along(axis, a[k]) - grid.cell_along(axis, b[k]));
    if (std::min(apart, grid.cells[axis] - apart) > grid.reach) return false;
  }
  return true;
}

TEST(HaloGrid, KeepsResiduesInRangeWithinReach) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> part(-1, 1);
  for (const auto& one : cases) {
    const auto grid = choose_halo_grid(one.box, one.extent_nm, one.range_nm, one.most_cells);
    for (int trial = 0; trial < 2000; ++trial) {
      std::array<std::int64_t, 3> a{}, b{};
      for (std::size_t k = 0; k < 3; ++k) {
        // Positions anywhere, many box lengths away and beyond the extent, nearly the whole range
        // apart along one axis.
        a[k] = one.box.to_counts(k, 5 * part(random) * (one.box.length_nm[k] + 100));
        const double step = k == static_cast<std::size_t>(trial % 3) ? 0.999 : 0.025;
        b[k] = a[k] + one.box.to_counts(k, step * one.range_nm * (trial % 2 == 0 ? 1 : -1));
      }
      for (int axis = 0; axis < 3; ++axis) {
        const int cell = grid.cell_along(axis, a[static_cast<std::size_t>(axis)]);
        EXPECT_TRUE(cell >= 0 && cell < grid.cells[axis]);
      }
      EXPECT_TRUE(are_within_reach(grid, a, b)) << one.range_nm << " " << trial;
    }
  }
}

TEST(HaloGrid, RespectsBoundAndUsesWholeWords) {
  for (const auto& one : cases) {
    const auto grid = choose_halo_grid(one.box, one.extent_nm, one.range_nm, one.most_cells);
    EXPECT_LE(HaloGrid::word_bits * grid.words(), one.most_cells);
    EXPECT_EQ(grid.slow_axis + grid.middle_axis + grid.fast_axis, 3);
    EXPECT_TRUE(grid.slow_axis != grid.middle_axis && grid.middle_axis != grid.fast_axis &&
                grid.slow_axis != grid.fast_axis);
    EXPECT_GE(HaloGrid::word_bits * grid.row_words, grid.cells[grid.fast_axis]);
  }
}

TEST(HaloGrid, IsFineWithinBound) {
  const auto fine = choose_halo_grid({{20, 30, 40}}, {0, 0, 0}, 1.5, 0x1p20);
  EXPECT_EQ(fine.reach, 3);
  EXPECT_EQ(fine.cells[2], 79);
  EXPECT_EQ(choose_halo_grid({{20, 30, 40}}, {0, 0, 0}, 1.5, 70000).reach, 2);
  EXPECT_EQ(choose_halo_grid({{20, 30, 40}}, {0, 0, 0}, 1.5, 20000).reach, 1);
  // An escaped residue must not make the cells of a droplet wide.
  const auto open = choose_halo_grid({}, {1e9, 2e9, 3e9}, 1.5, 0x1p20);
  EXPECT_LT(static_cast<double>(open.edge[0]) * system::Box{}.nm_per_count(0), 3.01);
}

TEST(HaloGrid, RefusesInvalidRanges) {
  for (const double range_nm : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW((void)choose_halo_grid({}, {1, 1, 1}, range_nm, 1000), std::invalid_argument);
  }
}

TEST(HaloGrid, CellsGrowWithResiduesWithinBounds) {
  EXPECT_EQ(most_halo_cells(1), 0x1p20);
  EXPECT_EQ(most_halo_cells(100'000), 6.4e6);
  EXPECT_EQ(most_halo_cells(50'000'000), 0x1p24);
}

TEST(SharedIndices, AreOwnNearOthersPeriodically) {
  const std::vector<char> own{1, 1, 0, 0, 1, 1, 0, 1, 1, 1}, others{0, 0, 0, 0, 0, 0, 1, 0, 0, 0};
  EXPECT_EQ(shared_indices(own, others, 1), (std::vector<int>{5, 7}));
  EXPECT_EQ(shared_indices(own, others, 3), (std::vector<int>{4, 5, 7, 8, 9}));
  EXPECT_EQ(shared_indices(own, others, 4), (std::vector<int>{0, 4, 5, 7, 8, 9}));
  EXPECT_EQ(shared_indices(own, others, 50), (std::vector<int>{0, 1, 4, 5, 7, 8, 9}));
  EXPECT_TRUE(shared_indices(own, std::vector<char>(10, 0), 3).empty());
}

TEST(SharedRegion, FindsItsWordsOnly) {
  const auto grid = choose_halo_grid({{20, 30, 40}}, {0, 0, 0}, 1.5, 0x1p20);
  std::vector<char> own(static_cast<std::size_t>(grid.layer_count()), 1), others(own.size(), 0);
  const auto slow = static_cast<std::size_t>(grid.cells[grid.slow_axis]);
  const auto middle = static_cast<std::size_t>(grid.cells[grid.middle_axis]);
  others[0] = others[slow + 10] = others[slow + middle] = 1;
  std::vector<int> table(7, 99);  // entries of earlier regions
  const auto region = shared_region(grid, own, others, 50, table);
  EXPECT_EQ(region.slow.count, 7);  // 3 below 0 wrap around
  EXPECT_EQ(region.middle.count, 7);
  EXPECT_EQ(region.words(), 49 * region.fast.count);
  for (int word = 50; word < 50 + region.words(); ++word) {
    EXPECT_EQ(region.word_of(table.data(), region.cell_of(table.data(), word)), word);
  }
  EXPECT_EQ(region.word_of(table.data(), {4, 10, 0}), -1);
  EXPECT_GE(region.word_of(table.data(), {static_cast<int>(slow) - 3, 7, 0}), 50);
  const std::size_t before = table.size();
  others[slow + 10] = 0;
  const auto none = shared_region(grid, own, others, 50, table);
  EXPECT_EQ(none.words(), 0);
  EXPECT_EQ(none.word_of(table.data(), {0, 0, 0}), -1);
  EXPECT_EQ(table.size(), before);
}

}  // namespace
}  // namespace nfold::halo
