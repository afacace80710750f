// Partitioners by position: equal work, compact parts, reproducibility.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/space_partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace nfold::domain {
namespace {

using Partitioner = Ownership (*)(const system::Box&, std::span<const system::FixedPosition>,
                                  std::span<const double>, int, std::span<const double>,
                                  std::span<const int>);

struct Geometry {
  const char* name;
  system::Box box;
  std::array<double, 3> spread_nm;
};

const Geometry geometries[] = {{"uniform", {{20, 20, 20}}, {20, 20, 20}},
                               {"slab", {{15, 15, 150}}, {15, 15, 6}},
                               {"droplet", {{200, 200, 200}}, {8, 8, 8}},
                               {"open", {}, {12, 9, 30}},
                               {"tube", {{0, 5, 0}}, {9, 5, 40}}};

std::vector<system::FixedPosition> random_positions(const Geometry& geometry, int count) {
  std::mt19937 random(31);
  std::uniform_real_distribution<double> fraction(-0.5, 0.5);
  std::vector<system::FixedPosition> positions(static_cast<std::size_t>(count));
  for (auto& x : positions) {
    for (std::size_t k = 0; k < 3; ++k) {
      x[k] = geometry.box.to_counts(k, geometry.spread_nm[k] * fraction(random));
      if (geometry.box.is_periodic(k)) x[k] += static_cast<std::int64_t>(random() % 3) << 44U;
    }
  }
  return positions;
}

class SpacePartitioners : public testing::TestWithParam<Partitioner> {
 protected:
  static Ownership partition(const system::Box& box,
                             std::span<const system::FixedPosition> positions,
                             const std::vector<double>& work, int ranks,
                             const std::vector<double>& speed = {}) {
    return GetParam()(box, positions, work, ranks, speed, {});
  }
};

TEST_P(SpacePartitioners, BalanceWork) {
  std::vector<double> work(4000);
  for (std::size_t id = 0; id < work.size(); ++id) work[id] = 1.0 + static_cast<double>(id % 5);
  for (const auto& geometry : geometries) {
    const auto positions = random_positions(geometry, 4000);
    for (const int ranks : {1, 2, 3, 5, 7, 8, 13}) {
      const auto owner = partition(geometry.box, positions, work, ranks);
      ASSERT_EQ(owner.size(), work.size());
      const auto [low, high] = std::minmax_element(owner.begin(), owner.end());
      EXPECT_EQ(*low, 0);
      EXPECT_EQ(*high, ranks - 1);
      EXPECT_LT(load_imbalance(work, owner, ranks), 1.03) << geometry.name << " " << ranks;
    }
  }
}

TEST_P(SpacePartitioners, GiveFasterRanksMore) {
  const std::vector<double> work(4000, 1.0), speed{1, 2, 0.5, 1, 3};
  for (const auto& geometry : geometries) {
    const auto owner = partition(geometry.box, random_positions(geometry, 4000), work, 5, speed);
    const auto load = rank_loads(work, owner, 5);
    for (std::size_t rank = 0; rank < 5; ++rank) {
      EXPECT_NEAR(load[rank], 4000 * speed[rank] / 7.5, 3) << geometry.name;
    }
  }
}

/// Number of neighbour pairs on different ranks.
int cut_pairs(const Geometry& geometry, const std::vector<system::FixedPosition>& positions,
              const Ownership& owner, double range_nm) {
  int pairs = 0;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (owner[i] == owner[j]) continue;
      double r2 = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double d =
            geometry.box.nearest_nm(k, geometry.box.to_nm(k, positions[i][k] - positions[j][k]));
        r2 += d * d;
      }
      pairs += r2 < range_nm * range_nm ? 1 : 0;
    }
  }
  return pairs;
}

TEST_P(SpacePartitioners, KeepNeighboursTogether) {
  const std::vector<double> work(1500, 1.0);
  for (const auto& geometry : geometries) {
    const auto positions = random_positions(geometry, 1500);
    for (const int ranks : {2, 5, 8}) {
      const auto owner = partition(geometry.box, positions, work, ranks);
      const int cut = cut_pairs(geometry, positions, owner, 1.5);
      const int random = cut_pairs(geometry, positions, random_owners(1500, ranks, 3), 1.5);
      EXPECT_LT(cut, 0.75 * random) << geometry.name << " " << ranks;
    }
  }
}

TEST_P(SpacePartitioners, TreatDropletAcrossBoundaryAsWhole) {
  const system::Box box{{100, 100, 100}};
  const auto over_the_corner = random_positions({"", box, {9, 8, 7}}, 600);
  auto in_the_middle = over_the_corner;
  for (auto& x : in_the_middle) {
    for (auto& c : x) c += (std::int64_t{1} << 44U) / 4;
  }
  const std::vector<double> work(600, 1.0);
  for (const int ranks : {2, 3, 8}) {
    EXPECT_EQ(partition(box, over_the_corner, work, ranks),
              partition(box, in_the_middle, work, ranks));
  }
}

TEST_P(SpacePartitioners, AcceptMoreRanksThanResiduesAndZeroWork) {
  const auto positions = random_positions(geometries[0], 3);
  const auto owner = partition(geometries[0].box, positions, std::vector<double>(3, 1.0), 8);
  EXPECT_EQ(std::set<int>(owner.begin(), owner.end()).size(), 3U);
  EXPECT_TRUE(partition(geometries[0].box, {}, {}, 4).empty());
  EXPECT_EQ(partition(geometries[0].box, positions, std::vector<double>(3, 0.0), 2),
            (Ownership{0, 0, 0}));
}

TEST_P(SpacePartitioners, BreakTiesById) {
  const std::vector<system::FixedPosition> positions(6, {5, 5, 5});
  EXPECT_EQ(partition({{9, 9, 9}}, positions, std::vector<double>(6, 1.0), 3),
            (Ownership{0, 0, 1, 1, 2, 2}));
}

TEST_P(SpacePartitioners, RefuseInvalidWorkAndSpeeds) {
  const auto positions = random_positions(geometries[0], 3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto cut = [&](const std::vector<double>& work, int ranks) {
    (void)partition(geometries[0].box, positions, work, ranks);
  };
  EXPECT_THROW(cut({1, 1}, 2), std::invalid_argument);
  EXPECT_THROW(cut({1, nan, 1}, 2), std::invalid_argument);
  EXPECT_THROW(cut({1, -1, 1}, 2), std::invalid_argument);
  EXPECT_THROW(cut({1, 1, 1}, 0), std::invalid_argument);
  for (const auto& speed : std::vector<std::vector<double>>{{1}, {1, 0}, {1, nan}}) {
    EXPECT_THROW((void)partition(geometries[0].box, positions, {1, 1, 1}, 2, speed),
                 std::invalid_argument);
  }
}

INSTANTIATE_TEST_SUITE_P(Partitioners, SpacePartitioners,
                         testing::Values(&recursive_bisection, &hilbert_curve));

TEST(RecursiveBisection, DoesNotSliceDenseSlab) {
  // Vapour along z must not make z the longest axis: slices of a slab would be all boundary.
  const system::Box box{{15, 15, 150}};
  auto positions = random_positions({"", box, {15, 15, 5}}, 2000);
  const auto vapour = random_positions({"", box, {15, 15, 150}}, 100);
  positions.insert(positions.end(), vapour.begin(), vapour.end());
  const auto owner = recursive_bisection(box, positions, std::vector<double>(2100, 1.0), 4);
  for (int rank = 0; rank < 4; ++rank) {
    std::int64_t below = 0, above = 0;
    for (std::size_t id = 0; id < 2000; ++id) {
      if (owner[id] != rank) continue;
      const double z = box.nearest_nm(2, box.to_nm(2, positions[id][2]));
      (z < 0 ? below : above) += 1;
    }
    EXPECT_GT(std::min(below, above), 100) << rank;
  }
}

}  // namespace
}  // namespace nfold::domain
