// Interfaces, phases and critical points from synthetic data with known results.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "analysis/binodal.hpp"
#include "analysis/interface_fit.hpp"
#include "analysis/slab_coexistence.hpp"
#include "chains.hpp"

namespace {

namespace analysis = nfold::analysis;
using analysis::CoexistencePoint;
using analysis::SlabCoexistence;
using analysis::SlabState;
using nfold::analysis_tests::chains_of;
using nfold::analysis_tests::find;
using nfold::analysis_tests::Random;

TEST(InterfaceFit, FindsExactProfile) {
  std::vector<double> distance, density;
  const auto profile = [](double z) { return 220.25 - 219.75 * std::tanh((z - 8.3) / 1.7); };
  for (int k = 0; k < 150; ++k) {
    distance.push_back(0.25 + 0.5 * k);
    density.push_back(profile(distance.back()));
  }
  const auto found = analysis::fit_interface(distance, density);
  EXPECT_NEAR(found.dense, 440, 1e-3);
  EXPECT_NEAR(found.dilute, 0.5, 1e-3);
  EXPECT_NEAR(found.half_nm, 8.3, 1e-4);
  EXPECT_NEAR(found.width_nm, 1.7, 1e-4);
  EXPECT_NEAR(analysis::density_at(found, 9.0), profile(9.0), 1e-2);
}

TEST(InterfaceFit, DensitiesAreNotNegative) {
  const std::vector<double> distance{0.5, 1.5, 2.5, 3.5}, density{10, 10, 0, 0};
  const auto found = analysis::fit_interface(distance, density);
  EXPECT_GE(found.dilute, 0);
  EXPECT_NEAR(found.dense, 10, 0.1);
  EXPECT_NEAR(found.half_nm, 2, 0.5);
}

TEST(PoissonUpperLimit, IsThatOfTables) {
  EXPECT_NEAR(analysis::poisson_upper_limit(0), 2.9957, 1e-4);  // -ln 0.05
  EXPECT_NEAR(analysis::poisson_upper_limit(1), 4.7439, 1e-4);
  EXPECT_NEAR(analysis::poisson_upper_limit(10), 16.962, 1e-3);
}

/// Slab of unit-mass beads: 900 in the middle 10 nm of 60, and dilute ones that come and go, each
/// with its own chance in each frame.
struct SlabOfBeads {
  static constexpr int dense = 900, dilute = 40;
  nfold::topology::Topology topology = chains_of({{dense + dilute, 1, 1000}}, {10, 10, 60});
  // Independent frames: without friction, and with a long time between them.
  SlabCoexistence phases{topology, 2, {300, 0, 1e6}};

  void add_frames(int first, int last, double chance, Random& random) {
    for (int t = first; t < last; ++t) {
      auto x = random.points(dense + dilute, {0, 0, 25}, {10, 10, 35});
      for (int k = 0; k < dilute; ++k) {
        if (random.uniform(0, 1) >= chance) continue;
        const double z = random.uniform(0, 50);
        x[static_cast<std::size_t>(dense + k)][2] = z < 25 ? z : z + 10;
      }
      phases.add({t, x, {}});
    }
  }
};

TEST(SlabCoexistence, FindsKnownConcentrations) {
  Random random(3);
  SlabOfBeads slab;
  slab.add_frames(0, 1024, 0.5, random);
  const auto found = slab.phases.find();
  EXPECT_EQ(found.state, SlabState::two_phases);
  const double mg_ml = 1000 * 1.66053906660;  // a bead in a nm^3
  const auto& one = found.species.at(0);
  EXPECT_NEAR(one.dense_mg_ml.value, 920 / 1000.0 * mg_ml, 0.02 * one.dense_mg_ml.value);
  const double expected = 20 / 5000.0 * mg_ml;
  EXPECT_NEAR(one.dilute_mg_ml.value, expected, 4 * one.dilute_mg_ml.error);
  // Some 19 beads in 1,024 independent frames.
  EXPECT_LT(one.dilute_mg_ml.error, 0.02 * expected);
  EXPECT_GT(one.dilute_mg_ml.error, 0.005 * expected);
  EXPECT_TRUE(std::isnan(one.dilute_bound_mg_ml));
  EXPECT_TRUE(slab.phases.is_decided(0.05));
  EXPECT_FALSE(slab.phases.is_decided(0.001));
}

TEST(SlabCoexistence, EmptyDilutePhaseHasUpperBound) {
  Random random(5);
  SlabOfBeads slab;
  slab.add_frames(0, 256, 0, random);
  const auto found = slab.phases.find();
  ASSERT_EQ(found.state, SlabState::two_phases);
  const auto& one = found.species.at(0);
  EXPECT_TRUE(std::isnan(one.dilute_mg_ml.error));
  EXPECT_GT(one.dilute_bound_mg_ml, 0);
  // -ln 0.05 beads over the independent samples in about 48 nm of dilute phase.
  const double mg_ml = 1000 * 1.66053906660 / 4800;
  EXPECT_NEAR(one.dilute_bound_mg_ml, 2.9957 / found.independent * mg_ml,
              0.1 * one.dilute_bound_mg_ml);
  EXPECT_FALSE(slab.phases.is_decided(1));
}

TEST(SlabCoexistence, LeavesOutFillingOfDilutePhase) {
  Random random(7);
  SlabOfBeads slab;
  slab.add_frames(0, 300, 0, random);
  slab.add_frames(300, 1024, 0.5, random);
  const auto found = slab.phases.find();
  EXPECT_GE(found.first_block, 300U / 4);
  const double expected = 20 / 5000.0 * 1000 * 1.66053906660;
  EXPECT_NEAR(found.species[0].dilute_mg_ml.value, expected,
              5 * found.species[0].dilute_mg_ml.error);
}

TEST(SlabCoexistence, GasHasOnePhase) {
  Random random(9);
  const auto topology = chains_of({{940, 1, 1000}}, {10, 10, 60});
  SlabCoexistence phases(topology, 2, {300, 0, 1e6});
  for (int t = 0; t < 128; ++t) {
    phases.add({t, random.points(940, {0, 0, 0}, {10, 10, 60}), {}});
  }
  EXPECT_EQ(phases.find().state, SlabState::one_phase);
  EXPECT_TRUE(phases.is_decided(0.1));
}

TEST(SlabCoexistence, SavedSumsGoOnExactly) {
  Random random(11), other(11);
  SlabOfBeads whole, first;
  whole.add_frames(0, 700, 0.3, random);
  first.add_frames(0, 333, 0.3, other);
  SlabOfBeads rest;
  ASSERT_TRUE(rest.phases.restore(first.phases.saved()));
  rest.add_frames(333, 700, 0.3, other);
  EXPECT_EQ(rest.phases.saved(), whole.phases.saved());
  const auto topology = chains_of({{940, 1, 1000}}, {10, 10, 80});
  SlabCoexistence longer(topology, 2, {300, 0, 1e6});
  EXPECT_FALSE(longer.restore(first.phases.saved()));
}

TEST(SlabCoexistence, RelaxationIsThatOfDiffusionAndFlight) {
  // D = kT / (M friction) = 0.0166289 nm2/ps at 300 K, 15,000 amu and 0.01 /ps.
  const double kt = 0.00831446261815324 * 300;
  const double flight = 100 / std::sqrt(kt / 15000);
  EXPECT_NEAR(analysis::dilute_relaxation_ps(100, 15000, {300, 0.01, 1}),
              1e4 / (9.8696044 * kt / 150) + flight, 1);
  EXPECT_NEAR(analysis::dilute_relaxation_ps(100, 15000, {300, 0, 1}), flight, 1e-9);
}

/// Points on the laws, with relative errors and deviations of so many errors.
std::vector<CoexistencePoint> binodal(double critical, const std::vector<double>& kelvins,
                                      double relative_error, Random* random) {
  std::vector<CoexistencePoint> points;
  for (const double kelvin : kelvins) {
    const double difference = 600 * std::pow(1 - kelvin / critical, 0.325);
    const double mean = 150 + 0.8 * (critical - kelvin);
    CoexistencePoint point{kelvin, mean + difference / 2, 0, mean - difference / 2, 0};
    point.dense_error = relative_error * point.dense;
    point.dilute_error = relative_error * std::abs(point.dilute);
    if (random != nullptr) {
      point.dense += point.dense_error * random->nearly_normal();
      point.dilute += point.dilute_error * random->nearly_normal();
    }
    points.push_back(point);
  }
  return points;
}

TEST(CriticalPoint, IsThatOfExactPoints) {
  const auto found =
      analysis::fit_critical_point(binodal(342, {280, 290, 300, 310, 320, 330}, 0.01, nullptr));
  ASSERT_EQ(found.obstacle, "");
  EXPECT_NEAR(found.temperature_kelvin, 342, 1e-6);
  EXPECT_NEAR(found.concentration, 150, 1e-6);
  EXPECT_NEAR(found.amplitude, 600, 1e-6);
  EXPECT_NEAR(found.slope, 0.8, 1e-8);
  EXPECT_NEAR(found.squares, 0, 1e-9);
  EXPECT_EQ(found.freedom, 8);
}

TEST(CriticalPoint, ErrorCoversScatter) {
  Random random(13);
  constexpr int times = 400;
  double squares_kelvin = 0, squares_concentration = 0;
  for (int k = 0; k < times; ++k) {
    const auto found =
        analysis::fit_critical_point(binodal(342, {290, 300, 310, 320, 330}, 0.01, &random));
    ASSERT_EQ(found.obstacle, "");
    squares_kelvin +=
        std::pow((found.temperature_kelvin - 342) / found.temperature_error_kelvin, 2);
    squares_concentration += std::pow((found.concentration - 150) / found.concentration_error, 2);
  }
  EXPECT_NEAR(std::sqrt(squares_kelvin / times), 0.9, 0.2);
  EXPECT_NEAR(std::sqrt(squares_concentration / times), 0.9, 0.2);
}

TEST(CriticalPoint, ObstaclesAreNamed) {
  const auto obstacle = [](const std::vector<CoexistencePoint>& points) {
    return analysis::fit_critical_point(points).obstacle;
  };
  EXPECT_NE(obstacle(binodal(342, {280, 290}, 0.01, nullptr)).find("at 2 of the 3"),
            std::string::npos);
  auto flat = binodal(342, {280, 280.1, 280.2}, 0.01, nullptr);
  EXPECT_NE(obstacle(flat).find("does not fall"), std::string::npos);
  flat[1].dilute = flat[1].dense;
  EXPECT_NE(obstacle(flat).find("do not differ at 280.1 K"), std::string::npos);
}

}  // namespace
