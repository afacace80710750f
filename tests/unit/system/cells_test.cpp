// Cell grids, occupied cells and cell lists against exhaustive searches.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "system/cell_grid.hpp"
#include "system/cell_list.hpp"
#include "system/occupied_cells.hpp"

namespace nfold::system {
namespace {

using Cell = CellGrid::Cell;
using Point = CellGrid::Point;
using Pairs = std::vector<std::pair<int, int>>;

std::vector<Point> random_points(int count, const Point& low, const Point& high, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Point> x(static_cast<std::size_t>(count));
  for (auto& point : x) {
    for (std::size_t k = 0; k < 3; ++k) {
      point[k] = std::uniform_real_distribution<double>(low[k], high[k])(random);
    }
  }
  return x;
}

/// Steps between two cells along the axis where they are furthest apart, the short way round.
std::int64_t steps_apart(const CellGrid& grid, const Cell& a, const Cell& b) {
  std::int64_t furthest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    std::int64_t steps = std::abs(a[k] - b[k]);
    if (grid.cells_along(k) > 0) steps = std::min(steps, grid.cells_along(k) - steps);
    furthest = std::max(furthest, steps);
  }
  return furthest;
}

TEST(CellGrid, PutsNeighboursIntoNearbyCells) {
  const double range_nm = 1.9;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> step(-range_nm, range_nm);
  for (const Point& length : {Point{50, 1.9, 2000}, Point{0, 0, 0}, Point{0, 5, 0}}) {
    const Box box{length};
    for (const double spread_nm : {4.0, 300.0, 1e9}) {
      const Point low{-spread_nm, -spread_nm, -spread_nm}, high{spread_nm, spread_nm, spread_nm};
      const auto grid = CellGrid::between(box, low, high, range_nm / 3);
      for (const Point& a : random_points(300, low, high, 11)) {
        const Point b{a[0] + step(random), a[1] + step(random), a[2] + step(random)};
        const Cell in_a = grid.cell_of(grid.into_box(a)), in_b = grid.cell_of(grid.into_box(b));
        EXPECT_LE(steps_apart(grid, in_a, in_b), 3);
        EXPECT_EQ(CellGrid::key_to_cell(CellGrid::key_of(in_a)), in_a);
      }
    }
  }
}

TEST(CellGrid, DividesPeriodicAxesEvenly) {
  const Box box{{50, 1.9, 2000}};
  const CellGrid grid(box, 1.9 / 3);
  EXPECT_EQ(grid.cells_along(0), 78);
  EXPECT_EQ(grid.cells_along(1), 3);
  EXPECT_EQ(grid.cells_along(2), 3157);
  for (const Point& x : random_points(2000, {0, 0, 0}, {50, 1.9, 2000}, 13)) {
    const Point turned{x[0] - 100, x[1] + 1.9, x[2] + 4000};
    const Cell cell = grid.cell_of(x);
    EXPECT_LE(steps_apart(grid, grid.cell_of(grid.into_box(turned)), cell), 1);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_GE(cell[k], 0);
      EXPECT_LT(cell[k], grid.cells_along(k));
      EXPECT_NEAR((static_cast<double>(cell[k]) + 0.5) * box.length_nm[k] /
                      static_cast<double>(grid.cells_along(k)),
                  x[k], 0.51 * box.length_nm[k] / static_cast<double>(grid.cells_along(k)));
    }
  }
  EXPECT_EQ(grid.wrap_index(0, -1), 77);
  EXPECT_EQ(grid.wrap_index(0, 78), 0);
  EXPECT_EQ(grid.wrap_index(1, 2), 2);
  EXPECT_EQ(CellGrid({}, 1).wrap_index(0, -1), -1);
}

TEST(CellGrid, RefusesInvalidWidth) {
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(CellGrid({}, bad), std::invalid_argument) << bad;
  }
}

TEST(OccupiedCells, NearCellsMatchSearch) {
  // Open axes, axes of one to seven cells, and long ones.
  for (const Point& length :
       {Point{0, 0, 0}, Point{1, 6, 50}, Point{2, 5, 0}, Point{3, 4, 30}, Point{0, 30, 7}}) {
    const Box box{length};
    const auto grid = CellGrid::between(box, {0, 0, 0}, {40, 40, 40}, 1);
    std::vector<std::uint64_t> keys;
    for (const Point& x : random_points(400, {0, 0, 0}, {40, 12, 40}, 3)) {
      keys.push_back(CellGrid::key_of(grid.cell_of(grid.into_box(x))));
    }
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    const OccupiedCells cells(grid, keys);
    ASSERT_EQ(cells.size(), keys.size());
    std::size_t all = 0;
    for (const Point& x : random_points(200, {-3, -3, -3}, {43, 15, 43}, 4)) {
      const Cell centre_cell = grid.cell_of(grid.into_box(x));
      for (const int reach : {1, 2, 3}) {
        std::vector<std::size_t> found, expected;
        cells.for_each_near(centre_cell, reach, [&](std::size_t c) { found.push_back(c); });
        for (std::size_t c = 0; c < cells.size(); ++c) {
          if (steps_apart(grid, cells.cell(c), centre_cell) <= reach) expected.push_back(c);
        }
        std::size_t visited_cells = 0;
        const bool is_one_even = cells.any_near(centre_cell, reach, [&](std::size_t c) {
          ++visited_cells;
          return c % 2 == 0;
        });
        const auto first_even = std::ranges::find_if(found, [](auto c) { return c % 2 == 0; });
        EXPECT_EQ(is_one_even, first_even != found.end());
        EXPECT_EQ(visited_cells, first_even - found.begin() + (is_one_even ? 1 : 0))
            << "none after the one that says true";
        std::ranges::sort(found);
        EXPECT_EQ(found, expected);
        all += found.size();
      }
    }
    EXPECT_GT(all, 100U);
  }
}

Pairs cell_pairs(const Box& box, const std::vector<Point>& x, double range) {
  Pairs pairs;
  CellList(box, x, range).for_each_pair([&pairs](int i, int j) {
    pairs.emplace_back(std::min(i, j), std::max(i, j));
  });
  std::ranges::sort(pairs);
  return pairs;
}

double squared_distance(const Box& box, const Point& a, const Point& b) {
  double r2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = box.nearest_nm(k, a[k] - b[k]);
    r2 += d * d;
  }
  return r2;
}

TEST(CellList, PairsMatchSearch) {
  // One, two, three and many cells along an axis; open axes; points several boxes away.
  for (const Point& length : {Point{1.5, 2.5, 3.5}, Point{4.2, 2.1, 9}, Point{0, 3.1, 6},
                              Point{0, 0, 0}, Point{3, 3, 3}}) {
    const Box box{length};
    const auto x = random_points(250, {-9, -4, -1}, {3, 8, 5}, 7);
    Pairs expected;
    for (int i = 0; i < 250; ++i) {
      for (int j = i + 1; j < 250; ++j) {
        const auto &a = x[static_cast<std::size_t>(i)], &b = x[static_cast<std::size_t>(j)];
        if (squared_distance(box, a, b) < 1) expected.emplace_back(i, j);
      }
    }
    EXPECT_GT(expected.size(), 50U);
    EXPECT_EQ(cell_pairs(box, x, 1), expected) << length[0] << " " << length[1] << " " << length[2];
  }
}

TEST(CellList, FindsNearPointsOnce) {
  const Box box{{4.2, 2.1, 0}};
  const auto x = random_points(250, {-9, -4, -1}, {3, 8, 5}, 7);
  const CellList list(box, x, 1);
  int near = 0;
  for (const Point& centre : random_points(50, {-20, -4, -3}, {3, 8, 7}, 8)) {
    std::vector<int> seen(x.size(), 0);
    list.for_each_near(centre, [&seen](int i) { ++seen[static_cast<std::size_t>(i)]; });
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_LE(seen[i], 1);
      if (squared_distance(box, x[i], centre) < 1) {
        EXPECT_EQ(seen[i], 1);
        ++near;
      }
    }
  }
  EXPECT_GT(near, 50);
}

TEST(CellList, FindsPairsOfDistantDroplets) {
  const std::vector<Point> x{{0, 0, 0}, {0.5, 0, 0}, {3e6, 3e6, 3e6}, {3e6, 3e6, 3e6 + 0.5}};
  EXPECT_EQ(cell_pairs({}, x, 1), (Pairs{{0, 1}, {2, 3}}));
  EXPECT_EQ(cell_pairs({}, {}, 1), Pairs{});
}

}  // namespace
}  // namespace nfold::system
