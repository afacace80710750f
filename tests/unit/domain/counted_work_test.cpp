// Counted work against pairs counted one by one.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/counted_work.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "support/random_topology.hpp"

namespace nfold::domain {
namespace {

std::vector<system::FixedPosition> random_positions(const system::Box& box, std::size_t count,
                                                    const std::array<double, 3>& spread_nm,
                                                    unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> fraction(-0.5, 0.5);
  std::vector<system::FixedPosition> positions(count);
  for (auto& x : positions) {
    for (std::size_t k = 0; k < 3; ++k) x[k] = box.to_counts(k, spread_nm[k] * fraction(random));
  }
  return positions;
}

std::vector<double> brute_force_neighbours(const system::Box& box,
                                           const std::vector<system::FixedPosition>& positions,
                                           double range_nm) {
  std::vector<double> neighbours(positions.size(), 0);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      double r2 = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const double d = box.nearest_nm(k, box.to_nm(k, positions[i][k] - positions[j][k]));
        r2 += d * d;
      }
      if (r2 >= range_nm * range_nm) continue;
      neighbours[i] += 1;
      neighbours[j] += 1;
    }
  }
  return neighbours;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(ExpectedNeighbours, SumToPairsInAnyBox) {
  struct Case {
    system::Box box;
    std::array<double, 3> spread_nm;
  };
  const Case cases[] = {{{}, {8, 8, 8}},
                        {{{9, 9, 9}}, {9, 9, 9}},
                        {{{0, 7, 0}}, {10, 7, 9}},
                        {{{5, 6, 50}}, {5, 6, 6}},
                        {{{3.5, 4.1, 20}}, {3.5, 4.1, 20}},
                        {{{1.2, 2.6, 60}}, {1.2, 2.6, 60}},
                        {{{300, 300, 300}}, {7, 7, 7}}};
  for (const auto& [box, spread] : cases) {
    const auto positions = random_positions(box, 1200, spread, 3);
    const auto expected = expected_neighbours(box, positions, 2.0);
    const auto counted = brute_force_neighbours(box, positions, 2.0);
    // Cells at the surface of a droplet are partly empty.
    EXPECT_NEAR(sum(expected) / sum(counted), 1.0, 0.1) << spread[0] << " " << spread[2];
    // Residues below a plane, as the load of a rank.
    double half_expected = 0, half_counted = 0;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (positions[i][2] < box.to_counts(2, -0.2 * spread[2])) {
        half_expected += expected[i];
        half_counted += counted[i];
      }
    }
    EXPECT_NEAR(half_expected / half_counted, 1.0, 0.15) << spread[0] << " " << spread[2];
  }
}

TEST(ExpectedNeighbours, AreInvariantUnderPeriodicShifts) {
  const system::Box box{{12, 12, 12}};
  auto positions = random_positions(box, 300, {5, 5, 5}, 4);
  const auto before = expected_neighbours(box, positions, 1.9);
  std::mt19937 random(5);
  for (auto& x : positions) {
    // Half a box of 12 cells along each axis moves cells onto cells.
    for (auto& c : x) c += (static_cast<std::int64_t>(random() % 5) - 2) << 44U;
    x[0] += (std::int64_t{1} << 44U) / 2;
  }
  const auto after = expected_neighbours(box, positions, 1.9);
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-9);
}

TEST(ExpectedNeighbours, HandleFewResidues) {
  const system::Box box{{5, 5, 5}};
  EXPECT_TRUE(expected_neighbours(box, {}, 1.0).empty());
  EXPECT_EQ(expected_neighbours(box, random_positions(box, 1, {1, 1, 1}, 1), 1.0),
            std::vector<double>{0.0});
}

// Chains of thirty residues; each residue is near its predecessor.
TEST(ExpectedNeighbours, SampleRepresentsAllResidues) {
  const system::Box box{{14, 14, 14}};
  auto positions = random_positions(box, 3000, {14, 14, 14}, 6);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (i % 30 == 0) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      positions[i][k] = positions[i - 1][k] + (positions[i][k] % (box.to_counts(k, 0.4)));
    }
  }
  const auto all = expected_neighbours(box, positions, 2.0);
  const comm::Communicator alone;
  EXPECT_EQ(sampled_neighbours(alone, box, 0, positions, 2.0, 3000), all);
  const auto some = sampled_neighbours(alone, box, 0, positions, 2.0, 700);  // one residue in five
  ASSERT_EQ(some.size(), all.size());
  EXPECT_NEAR(sum(some) / sum(all), 1.0, 0.05);
  for (std::size_t i = 0; i < some.size(); ++i) EXPECT_EQ(some[i], some[i - i % 5]) << i;
  const auto from_three = sampled_neighbours(alone, box, 3, positions, 2.0, 700);
  EXPECT_EQ(from_three[0], from_three[1]);
  EXPECT_EQ(from_three[2], from_three[6]);
}

TEST(CountedWork, GrowsWithTermsOfResidue) {
  const auto topology = testing_support::random_topology(20, 0, 1);
  const auto work = counted_work(topology);
  ASSERT_EQ(work.size(), 20U);
  EXPECT_GT(work[10], work[0]);
  EXPECT_EQ(work[10], work[7]);  // residue 9 also has the spring of a bias
  auto more = topology;
  more.contacts_12_10.push_back({0, 10, 0.6, 1});
  EXPECT_GT(counted_work(more)[0], work[0]);
  EXPECT_EQ(counted_work(more)[5], work[5]);
}

TEST(CountedWork, CountsElectrostaticPairsOfChargedResiduesOnly) {
  auto topology = testing_support::random_topology(400, 0, 1);
  const auto positions = random_positions(topology.box, 400, {6, 6, 6}, 2);
  const auto neutral = counted_work(topology, positions, 0.2);
  for (std::size_t id = 0; id < 400; id += 4) topology.residues.items()[id].charge_e = -1;
  EXPECT_EQ(counted_work(topology, positions, 0.2), neutral);  // no electrostatics acts
  topology.electrostatics = {1.7, 1.0, 4.0, false};
  const auto charged = counted_work(topology, positions, 0.2);
  double more = 0;
  for (std::size_t id = 0; id < 400; ++id) {
    EXPECT_TRUE(id % 4 == 0 || charged[id] == neutral[id]) << id;
    more += charged[id] - neutral[id];
  }
  std::vector<system::FixedPosition> charged_positions;
  for (std::size_t id = 0; id < 400; id += 4) charged_positions.push_back(positions[id]);
  const auto pairs = brute_force_neighbours(topology.box, charged_positions, 4.2);
  EXPECT_NEAR(more / sum(pairs), 1.0, 0.1);
}

TEST(CountedWork, RefusesWrongNumberOfPositions) {
  const auto topology = testing_support::random_topology(20, 0, 1);
  EXPECT_THROW((void)counted_work(topology, {}, 0.2), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::domain
