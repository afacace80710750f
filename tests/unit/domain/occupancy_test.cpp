// Cell grid and occupancy, as bitmap and as list, against a search over all cells.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/occupancy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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

bool is_near(const Cell& a, const Cell& b) {
  return std::abs(a[0] - b[0]) <= 1 && std::abs(a[1] - b[1]) <= 1 && std::abs(a[2] - b[2]) <= 1;
}

void expect_near_as_searched(const std::vector<std::uint64_t>& occupied,
                             const std::vector<std::uint64_t>& asked, bool as_bitmap) {
  const Occupancy occupancy(occupied);
  EXPECT_EQ(occupancy.is_bitmap(), as_bitmap);
  const auto near = occupancy.near(asked);
  int found = 0;
  for (std::size_t c = 0; c < asked.size(); ++c) {
    const bool expected = std::any_of(occupied.begin(), occupied.end(), [&](std::uint64_t key) {
      return is_near(cell_of_key(key), cell_of_key(asked[c]));
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
  expect_near_as_searched(random_keys(200, 40, {3, 0, 0}, 3), random_keys(400, 40, {0, 0, 0}, 4),
                          false);
}

TEST(Occupancy, OutlierDoesNotBlowTheBitmap) {
  auto keys = random_keys(300, 8, {0, 0, 0}, 5);
  keys.push_back(key_of({2000000, 2000000, 2000000}));
  EXPECT_LT(Occupancy(keys).bytes(), 8 * keys.size() + 100);
  expect_near_as_searched(keys, random_keys(400, 30, {0, 0, 0}, 6), false);
}

TEST(Occupancy, OfNothingIsNearNothing) {
  const std::vector<std::uint64_t> asked{key_of({0, 0, 0})};
  EXPECT_EQ(Occupancy(std::span<const std::uint64_t>{}).near(asked), std::vector<char>{0});
}

TEST(CellGrid, PutsWhatIsWithinRangeIntoNeighbouringCells) {
  const comm::Communicator alone;
  constexpr std::int64_t range = 1000;
  for (const std::int64_t spread :
       {std::int64_t{20000}, std::int64_t{1} << 40U, std::int64_t{1} << 62U}) {
    std::mt19937_64 random(7);
    std::vector<system::FixedPosition> positions;
    for (int i = 0; i < 500; ++i) {
      system::FixedPosition x{};
      for (auto& c : x) c = static_cast<std::int64_t>(random()) % spread;
      positions.push_back(x);
      for (auto& c : x) c += static_cast<std::int64_t>(random() % (2 * range + 1)) - range;
      positions.push_back(x);
    }
    const CellGrid grid(alone, positions, range);
    int apart = 0;
    for (std::size_t i = 0; i < positions.size(); i += 2) {
      const Cell a = grid.cell_of(positions[i]), b = grid.cell_of(positions[i + 1]);
      EXPECT_TRUE(is_near(a, b));
      EXPECT_EQ(cell_of_key(key_of(a)), a);
      apart += is_near(a, grid.cell_of(positions[(i + 2) % positions.size()])) ? 0 : 1;
    }
    EXPECT_GT(apart, 200);
  }
}

TEST(CellGrid, RefusesNoRange) {
  EXPECT_THROW(CellGrid(comm::Communicator{}, {}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::domain
