// First states: native grid, coils by chain_growth.hpp, Maxwell velocities.
// SPDX-License-Identifier: BSD-3-Clause
#include "model/start/initial_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <set>
#include <string>

#include "engine/engine.hpp"
#include "model/start/chain_growth.hpp"
#include "support/condensates.hpp"
#include "support/random_topology.hpp"

namespace nfold::start {
namespace {

constexpr double grid_nm = 2e-6;  // two coordinates rounded to 2^-20 nm
constexpr double radian = std::numbers::pi / 180;

/// Two chains; the first in two segments (gap before residue 40). Native angles are given up to
/// residue 70, contacts anywhere.
topology::Topology two_chains() {
  auto t = testing_support::random_topology(150, 120, 6);
  t.chains = {{"A", 0, 90}, {"B", 90, 60}};
  std::mt19937 random(3);
  for (auto& angle : t.angles.items()) angle.theta0_rad = (88 + random() % 60) * radian;
  for (auto& contact : t.contacts_12_10.items())
    contact.distance_nm = 0.45 + 0.01 * (random() % 60);
  for (auto& contact : t.contacts_gaussian.items())
    contact.distance_nm = 0.45 + 0.01 * (random() % 60);
  const auto crosses = [](int low, int high) {
    return (low < 40 && high >= 40) || (low < 90 && high >= 90);
  };
  std::erase_if(t.bonds.items(), [&](const auto& b) { return crosses(b.i, b.j); });
  std::erase_if(t.angles.items(), [&](const auto& a) { return crosses(a.i, a.k) || a.k > 70; });
  for (std::size_t i = 90; i < 150; ++i) t.residues.items()[i].chain = 1;
  return t;
}

double distance_nm(const system::State& state, int i, int j) {
  double r2 = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double d = system::Box{}.to_nm(0, state.position[static_cast<std::size_t>(i)][k] -
                                                state.position[static_cast<std::size_t>(j)][k]);
    r2 += d * d;
  }
  return std::sqrt(r2);
}

double angle_rad(const system::State& state, int i, int j, int k) {
  const double a = distance_nm(state, i, j), b = distance_nm(state, j, k),
               c = distance_nm(state, i, k);
  return std::acos((a * a + b * b - c * c) / (2 * a * b));
}

void expect_exact_grid_at_rest(const system::State& state, int residues) {
  ASSERT_EQ(state.position.size(), static_cast<std::size_t>(residues));
  ASSERT_EQ(state.velocity.size(), state.position.size());
  EXPECT_EQ(state.step, 0);
  for (std::size_t i = 0; i < state.position.size(); ++i) {
    EXPECT_EQ(state.id[i], static_cast<int>(i));
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(state.position[i][k] % 4096, 0);
      EXPECT_EQ(state.velocity[i][k], 0.0);
    }
  }
}

TEST(NativeStart, RoundsToTheGridOfMixedPrecision) {
  auto topology = testing_support::random_topology(5, 0, 1);
  topology.native_nm.items()[2] = {1.25 + 0x1p-22, -1.25 - 0x1p-22, 3.3};
  const auto state = native_start(topology);
  expect_exact_grid_at_rest(state, 5);
  EXPECT_EQ(state.position[2][0], system::Box{}.to_counts(0, 1.25));
  EXPECT_EQ(state.position[2][1], system::Box{}.to_counts(0, -1.25));
  EXPECT_NEAR(system::Box{}.to_nm(0, state.position[2][2]), 3.3, 0x1p-21);
}

class UnfoldedStart : public testing::TestWithParam<std::uint64_t> {
 protected:
  topology::Topology topology_ = two_chains();
  system::State state_ = unfolded_start(topology_, GetParam());
};

TEST_P(UnfoldedStart, KeepsNativeBondsAndAngles) {
  expect_exact_grid_at_rest(state_, 150);
  for (const auto& bond : topology_.bonds) {
    EXPECT_NEAR(distance_nm(state_, bond.i, bond.j), bond.length_nm, grid_nm);
  }
  for (const auto& angle : topology_.angles) {
    EXPECT_NEAR(angle_rad(state_, angle.i, angle.j, angle.k), angle.theta0_rad, 10.001 * radian);
  }
  for (int i = 92; i < 150; ++i) {
    const double angle = angle_rad(state_, i - 2, i - 1, i) / radian;
    EXPECT_GT(angle, 89.99);
    EXPECT_LT(angle, 150.01);
  }
}

TEST_P(UnfoldedStart, KeepsMinimumDistances) {
  const HardCore core(topology_, 1);
  for (int i = 0; i < 150; ++i) {
    for (int j = i + 1; j < 150; ++j) {
      const bool same_segment = (i < 40) == (j < 40) && (i < 90) == (j < 90);
      if (same_segment && j - i < 3) continue;
      const double least = (i < 90) == (j < 90) ? core.largest_nm() : 2.0;
      EXPECT_GT(distance_nm(state_, i, j), least - grid_nm) << i << " " << j;
    }
  }
  const auto expect_apart = [this](const auto& contacts) {
    for (const auto& c : contacts) {
      EXPECT_GT(distance_nm(state_, c.i, c.j), c.distance_nm - grid_nm) << c.i << " " << c.j;
    }
  };
  expect_apart(topology_.contacts_12_10);
  expect_apart(topology_.contacts_gaussian);
  EXPECT_LT(distance_nm(state_, 39, 40), 1.2 + grid_nm);
}

TEST_P(UnfoldedStart, FollowsTheSeed) {
  EXPECT_EQ(unfolded_start(topology_, GetParam()).position, state_.position);
  EXPECT_NE(unfolded_start(topology_, GetParam() + 1).position, state_.position);
}

INSTANTIATE_TEST_SUITE_P(Seeds, UnfoldedStart, testing::Values(1U, 2U, 3U, 0xffffffffffffffffU));

TEST(UnfoldedStartOfALongChain, IsACoil) {
  const int n = 20000;
  const auto state = unfolded_start(testing_support::random_topology(n, 0, 1), 5);
  // A self-avoiding walk is longer than an ideal one (0.38 nm n^0.5 = 54 nm) and far from straight.
  const double end_to_end = distance_nm(state, 0, n - 1);
  EXPECT_GT(end_to_end, 20);
  EXPECT_LT(end_to_end, 700);
}

TEST(UnfoldedStartOfManyChains, PacksChainsApart) {
  auto topology = testing_support::random_topology(64 * 30, 0, 1);
  topology.chains.clear();
  for (int c = 0; c < 64; ++c) topology.chains.push_back({std::to_string(c), 30 * c, 30});
  for (std::size_t i = 0; i < topology.residues.size(); ++i) {
    topology.residues.items()[i].chain = static_cast<int>(i / 30);
  }
  std::erase_if(topology.bonds.items(), [](const auto& b) { return b.j % 30 == 0; });
  std::erase_if(topology.angles.items(), [](const auto& a) { return a.k % 30 < 2; });
  const auto state = unfolded_start(topology, 9);
  for (int i = 0; i < 64 * 30; ++i) {
    for (int j = i + 30 - i % 30; j < 64 * 30; ++j) ASSERT_GT(distance_nm(state, i, j), 1.9);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [low, high] =
        std::minmax_element(state.position.begin(), state.position.end(),
                            [k](const auto& a, const auto& b) { return a[k] < b[k]; });
    EXPECT_LT(system::Box{}.to_nm(0, (*high)[k] - (*low)[k]), 60);  // 64 boxes of at most 11 nm
  }
}

/// Bonds of their lengths, and no two residues within the hard core that are not joined by one or
/// two bonds.
void expect_grown(const topology::Topology& t, const system::State& state) {
  std::set<std::pair<int, int>> near;
  for (const auto& bond : t.bonds) {
    EXPECT_NEAR(distance_nm(state, bond.i, bond.j), bond.length_nm, grid_nm);
    near.insert(std::minmax(bond.i, bond.j));
    for (const auto& other : t.bonds) {
      if (bond.j == other.i) near.insert(std::minmax(bond.i, other.j));
      if (bond.i == other.i) near.insert(std::minmax(bond.j, other.j));
    }
  }
  const HardCore core(t, 1);
  for (int i = 0; i < t.residue_count(); ++i) {
    for (int j = i + 1; j < t.residue_count(); ++j) {
      if (near.contains({i, j})) continue;
      const double least =
          std::sqrt(core.squared_nm2(t.residues[static_cast<std::size_t>(i)].type,
                                     t.residues[static_cast<std::size_t>(j)].type));
      EXPECT_GT(distance_nm(state, i, j), least - grid_nm) << i << " " << j;
    }
  }
}

TEST(UnfoldedStart, GrowsStrandsOfTwoBeads) {
  auto topology = test::strands(20, 1, 2);
  topology.box = {};
  const auto state = unfolded_start(topology, 7);
  expect_grown(topology, state);
  for (const auto& angle : topology.angles) {
    EXPECT_GT(angle_rad(state, angle.i, angle.j, angle.k), 154.9 * radian);
  }
}

// A hub with four arms of ten residues, and a branch of three from the middle of an arm.
TEST(UnfoldedStart, GrowsBranchedChains) {
  topology::Topology t;
  t.chains.push_back({"A", 0, 44});
  for (int i = 0; i < 44; ++i) {
    t.residues.push_back({"ALA", i + 1, ' ', 0, 0, 100.0, 0.0});
    if (i > 0) t.bonds.push_back({i % 10 == 1 ? (i == 41 ? 5 : 0) : i - 1, i, 0.38, 8033});
  }
  t.short_range.sigma_nm = 0.3;
  expect_grown(t, unfolded_start(t, 3));
  // A rigid hub and arm: the other arms and the branch grow from them.
  std::vector<char> is_rigid(44, 0);
  for (int i = 0; i <= 10; ++i) is_rigid[static_cast<std::size_t>(i)] = 1;
  const GrowthRules rules(t, is_rigid);
  const auto steps = growth_steps(rules, t.chains[0], is_rigid);
  ASSERT_EQ(steps.size(), 33U);
  std::set<int> placed;
  for (int i = 0; i <= 10; ++i) placed.insert(i);
  for (const auto& step : steps) {
    EXPECT_TRUE(placed.contains(step.anchor)) << step.id;
    EXPECT_TRUE(step.behind < 0 || placed.contains(step.behind)) << step.id;
    EXPECT_EQ(step.bond_nm, 0.38);
    placed.insert(step.id);
  }
  // A part that is rigid at both ends of a branched chain.
  is_rigid[13] = 1;
  const GrowthRules both(t, is_rigid);
  EXPECT_THROW((void)growth_steps(both, t.chains[0], is_rigid), std::invalid_argument);
}

TEST(UnfoldedStart, BacktracksFromDeadEnds) {
  // Most draws put i and i + 5 too near, so runs of draws fail.
  auto topology = testing_support::random_topology(80, 0, 1);
  for (int i = 0; i + 5 < 80; ++i) topology.contacts_12_10.push_back({i, i + 5, 1.45, 1});
  const auto state = unfolded_start(topology, 4);
  for (const auto& c : topology.contacts_12_10) {
    EXPECT_GT(distance_nm(state, c.i, c.j), c.distance_nm - grid_nm);
  }
}

TEST(UnfoldedStart, ErrorNamesResidueWithoutSpace) {
  auto topology = testing_support::random_topology(12, 0, 1);
  topology.contacts_12_10.push_back({2, 6, 3.0, 1});  // four bonds reach 1.52 nm
  try {
    (void)unfolded_start(topology, 1);
    FAIL() << "an impossible distance was kept";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("ALA 7 (chain A)"), std::string::npos) << error.what();
  }
}

TEST(UnfoldedStart, RefusesBondsAcrossTheChain) {
  auto topology = testing_support::random_topology(12, 0, 1);
  topology.bonds.push_back({3, 9, 0.5, 1000});
  EXPECT_THROW((void)unfolded_start(topology, 1), std::invalid_argument);
}

TEST(Velocities, HaveMaxwellWidthOfEachMass) {
  auto topology = testing_support::random_topology(20000, 0, 1);
  for (std::size_t i = 0; i < topology.residues.size(); i += 2) {
    topology.residues.items()[i].mass_amu = 25;
  }
  auto state = native_start(topology);
  draw_velocities(topology, 300, 7, 0, state);
  const double expected_nm2_ps2 = 0.00831446261815324 * 300;
  for (const std::size_t parity : {0U, 1U}) {
    double sum = 0, squares = 0;
    for (std::size_t i = parity; i < state.velocity.size(); i += 2) {
      for (const double v : state.velocity[i]) {
        sum += v;
        squares += v * v * topology.residues[i].mass_amu;
      }
    }
    // 30,000 numbers: relative standard error of the variance sqrt(2 / n) = 0.8 %, of the mean
    // width / sqrt(n); four of each.
    const double n = 30000;
    EXPECT_NEAR(squares / n / expected_nm2_ps2, 1, 0.033);
    EXPECT_NEAR(sum / n, 0, 4 * std::sqrt(expected_nm2_ps2 / 25 / n));
  }
}

TEST(Velocities, DependOnResidueSeedAndReplicaOnly) {
  const auto topology = testing_support::random_topology(50, 0, 1);
  auto whole = native_start(topology);
  draw_velocities(topology, 300, 7, 2, whole);
  system::State part;
  part.id = {3, 17, 49};
  part.position.resize(3);
  draw_velocities(topology, 300, 7, 2, part);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(part.velocity[row], whole.velocity[static_cast<std::size_t>(part.id[row])]);
  }
  auto other = whole;
  draw_velocities(topology, 300, 8, 2, other);
  EXPECT_NE(other.velocity[0], whole.velocity[0]);
  draw_velocities(topology, 300, 7, 3, other);
  EXPECT_NE(other.velocity[0], whole.velocity[0]);
  draw_velocities(topology, 0, 7, 2, other);
  EXPECT_EQ(other.velocity[5], (system::Velocity{0, 0, 0}));
  EXPECT_THROW(draw_velocities(topology, -1, 7, 2, other), std::invalid_argument);
  EXPECT_THROW(draw_velocities(topology, std::numeric_limits<double>::quiet_NaN(), 7, 2, other),
               std::invalid_argument);
}

}  // namespace
}  // namespace nfold::start
