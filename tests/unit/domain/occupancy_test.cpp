// Cell grid and occupancy, as bitmap and as list, against a search over all cells.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/occupancy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <random>

namespace nfold::domain {
namespace {

std::vector<std::uint64_t> random_keys(std::size_t count, int spread, Cell low, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < count; ++i) {
    Cell cell = low;
    for (auto& c : cell) c += static_cast<int>(random() % static_cast<unsigned>(spread));
    keys.push_back(key_of(cell));
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

constexpr Cell open_axes{0, 0, 0};

/// Steps between two cells along the axis where they are furthest apart, the short way round.
int steps_apart(const Cell& a, const Cell& b, const Cell& period) {
  int furthest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    int steps = std::abs(a[k] - b[k]);
    if (period[k] > 0) steps = std::min(steps, period[k] - steps);
    furthest = std::max(furthest, steps);
  }
  return furthest;
}

void expect_near_as_searched(const std::vector<std::uint64_t>& occupied,
                             const std::vector<std::uint64_t>& asked, std::optional<bool> as_bitmap,
                             const Cell& period = open_axes) {
  const Occupancy occupancy(occupied);
  EXPECT_EQ(occupancy.is_bitmap(), as_bitmap.value_or(occupancy.is_bitmap()));
  const auto near = occupancy.near(asked, period);
  int found = 0;
  for (std::size_t c = 0; c < asked.size(); ++c) {
    const bool expected = std::any_of(occupied.begin(), occupied.end(), [&](std::uint64_t key) {
      return steps_apart(cell_of_key(key), cell_of_key(asked[c]), period) <= CellGrid::reach;
    });
    EXPECT_EQ(near[c] != 0, expected) << c;
    found += expected ? 1 : 0;
  }
  EXPECT_GT(found, 0);
  EXPECT_LT(found, static_cast<int>(asked.size()));
}

TEST(Occupancy, BitmapOfADenseBox) {
  expect_near_as_searched(random_keys(300, 10, {5, 0, 7}, 1), random_keys(400, 20, {0, 0, 0}, 2),
                          true);
}

TEST(Occupancy, ListOfSparseCells) {
  expect_near_as_searched(random_keys(200, 60, {3, 0, 0}, 3), random_keys(400, 60, {0, 0, 0}, 4),
                          false);
}

TEST(Occupancy, ReachesAcrossPeriodicBorders) {
  const auto asked = random_keys(600, 30, {0, 0, 0}, 8);
  for (const Cell& period : {Cell{30, 30, 30}, Cell{30, 0, 0}, Cell{0, 30, 0}, Cell{0, 0, 30}}) {
    expect_near_as_searched(random_keys(100, 5, {25, 25, 25}, 9), asked, true, period);
    expect_near_as_searched(random_keys(40, 30, {0, 0, 0}, 10), asked, false, period);
  }
}

TEST(Occupancy, ReachesAcrossAxesOfFewCells) {
  const auto slice = [](std::size_t count, int z_spread, int nx, int ny, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0; i < count; ++i) {
      keys.push_back(key_of({static_cast<int>(random() % static_cast<unsigned>(nx)),
                             static_cast<int>(random() % static_cast<unsigned>(ny)),
                             static_cast<int>(random() % static_cast<unsigned>(z_spread))}));
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  };
  for (const int n : {1, 2, 3, 4, 5, 6}) {
    const Cell period{n, 7 - n, 50};
    expect_near_as_searched(slice(3, 40, n, 7 - n, 11), slice(200, 50, n, 7 - n, 12), {}, period);
  }
}

TEST(Occupancy, OutlierDoesNotBlowTheBitmap) {
  auto keys = random_keys(300, 8, {0, 0, 0}, 5);
  keys.push_back(key_of({2000000, 2000000, 2000000}));
  EXPECT_LT(Occupancy(keys).bytes(), 8 * keys.size() + 100);
  expect_near_as_searched(keys, random_keys(400, 30, {0, 0, 0}, 6), false);
}

TEST(Occupancy, OfNothingIsNearNothing) {
  const std::vector<std::uint64_t> asked{key_of({0, 0, 0})};
  EXPECT_EQ(Occupancy(std::span<const std::uint64_t>{}).near(asked, open_axes),
            std::vector<char>{0});
}

TEST(CellGrid, PutsWhatIsWithinRangeIntoCellsWithinReach) {
  const comm::Communicator alone;
  constexpr double range_nm = 2e-7;  // 859 counts of an open axis
  const system::Box open;
  const auto range = open.to_counts(0, range_nm);
  for (const std::int64_t spread :
       {std::int64_t{20000}, std::int64_t{1} << 40U, std::int64_t{1} << 62U}) {
    std::mt19937_64 random(7);
    std::vector<system::FixedPosition> positions;
    for (int i = 0; i < 500; ++i) {
      system::FixedPosition x{};
      for (auto& c : x) c = static_cast<std::int64_t>(random()) % spread;
      positions.push_back(x);
      for (auto& c : x) c += static_cast<std::int64_t>(random()) % (range + 1);
      positions.push_back(x);
    }
    const CellGrid grid(alone, open, positions, range_nm);
    EXPECT_EQ(grid.period(), open_axes);
    int apart = 0;
    for (std::size_t i = 0; i < positions.size(); i += 2) {
      const Cell a = grid.cell_of(positions[i]), b = grid.cell_of(positions[i + 1]);
      const Cell c = grid.cell_of(positions[(i + 2) % positions.size()]);
      EXPECT_LE(steps_apart(a, b, open_axes), CellGrid::reach);
      EXPECT_EQ(cell_of_key(key_of(a)), a);
      apart += steps_apart(a, c, open_axes) > CellGrid::reach ? 1 : 0;
    }
    EXPECT_GT(apart, 200);
  }
}

TEST(CellGrid, DividesPeriodicAxesEvenlyWhateverTheTurn) {
  const comm::Communicator alone;
  const system::Box box{{50, 1.9, 2000}};
  constexpr double range_nm = 1.9;
  const CellGrid grid(alone, box, {}, range_nm);
  EXPECT_EQ(grid.period(), (Cell{78, 2, 3157}));
  constexpr std::int64_t turn = std::int64_t{1} << 44U;
  std::mt19937_64 random(13);
  for (int i = 0; i < 2000; ++i) {
    system::FixedPosition a{}, b{}, unturned{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto range = box.to_counts(k, range_nm);
      unturned[k] = static_cast<std::int64_t>(random() % turn);
      a[k] = unturned[k] + (static_cast<std::int64_t>(random() % 9) - 4) * turn;
      b[k] = a[k] + static_cast<std::int64_t>(random()) % (range + 1);
    }
    EXPECT_EQ(grid.cell_of(a), grid.cell_of(unturned));
    EXPECT_LE(steps_apart(grid.cell_of(a), grid.cell_of(b), grid.period()), CellGrid::reach);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(grid.cell_of(a)[k], grid.period()[k]);
  }
}

TEST(CellGrid, RefusesNoRange) {
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    EXPECT_THROW(CellGrid(comm::Communicator{}, {}, {}, bad), std::invalid_argument);
  }
}

}  // namespace
}  // namespace nfold::domain
