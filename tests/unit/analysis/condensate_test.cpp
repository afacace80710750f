// Density profiles, sizes, displacements and pressures of systems with known results.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "analysis/chain_sizes.hpp"
#include "analysis/clusters.hpp"
#include "analysis/contact_maps.hpp"
#include "analysis/density_profile.hpp"
#include "analysis/displacement.hpp"
#include "analysis/pressure.hpp"
#include "analysis/slab_centre.hpp"
#include "chains.hpp"

namespace {

namespace analysis = nfold::analysis;
using analysis::Point;
using nfold::analysis_tests::chains_of;
using nfold::analysis_tests::find;
using nfold::analysis_tests::Random;

std::vector<double> evenly(double low, double high, int count) {
  std::vector<double> positions;
  positions.reserve(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) positions.push_back(low + (high - low) * (k + 0.5) / count);
  return positions;
}

TEST(SlabCentre, IsMiddleOfSlabAnywhereInBox) {
  for (const double middle : {0.0, 3.7, 25.0, 49.9, -60.0}) {
    auto positions = evenly(middle - 5, middle + 5, 1000);
    const auto gas = evenly(0, 50, 100);  // uniform, without a centre
    positions.insert(positions.end(), gas.begin(), gas.end());
    for (std::size_t i = 0; i < positions.size(); i += 3) positions[i] += 50 * 7;
    const double found = analysis::slab_centre_nm(positions, 50);
    EXPECT_NEAR(std::remainder(found - middle, 50), 0, 0.02) << middle;
    EXPECT_GE(found, 0);
    EXPECT_LT(found, 50);
  }
}

TEST(DensityProfile, IdealGasIsUniformWithinNoise) {
  const auto topology = chains_of({{4000, 1, 50}}, {5, 5, 20});
  analysis::DensityProfile profile(topology, 2, 20);
  Random random(11);
  for (int t = 0; t < 100; ++t) {
    const auto x = random.points(4000, {0, 0, 0}, {5, 5, 20});
    profile.add({t, x, {}});
  }
  const auto results = profile.results();
  const auto& density = find(results, "density_profile/number_density_total").values;
  EXPECT_NEAR(std::accumulate(density.begin(), density.end(), 0.0) / 20, 4000 / 500.0, 1e-12);
  // A gas has no centre: the profile is centred on its longest wave, sqrt(pi / 4000) = 3 %.
  ASSERT_EQ(density.size(), 20U);
  for (const double slice : density) EXPECT_NEAR(slice, 8, 0.05 * 8);
  const auto& errors = find(results, "density_profile/number_density_total_error").values;
  // A slice of 25 nm^3 holds 200 +- sqrt(190) residues; the 100 frames are independent.
  const double expected = std::sqrt(190.0 / 100) / 25;
  ASSERT_EQ(errors.size(), 20U);
  for (const double error : errors) {
    EXPECT_GT(error, 0.8 * expected);
    EXPECT_LT(error, 2 * expected);
  }
}

TEST(DensityProfile, HasOneRowPerSpecies) {
  for (const bool two : {false, true}) {
    const auto topology = two ? chains_of({{3, 4, 100}, {2, 5, 50}}, {4, 5, 20})
                              : chains_of({{3, 4, 100}}, {4, 5, 20});
    const analysis::DensityProfile profile(topology, 2, 10);
    const auto results = profile.results();
    for (const char* name : {"number_density", "mass_density"}) {
      for (const char* end : {"", "_error"}) {
        const std::string path = std::string("density_profile/") + name;
        EXPECT_EQ(find(results, path + end).extent, (std::vector<std::int64_t>{two ? 2 : 1, 10}));
        EXPECT_EQ(find(results, path + "_total" + end).extent, (std::vector<std::int64_t>{10}));
      }
    }
  }
}

// A species of two unlike chains (a dimer) has two kinds of chains and two rows.
TEST(DensityProfile, HasOneRowPerKindOfChain) {
  auto topology = chains_of({{1, 3}, {1, 4}, {1, 5}}, {4, 5, 20});
  topology.chains[1].species = 0;
  topology.chains[2].species = 1;
  analysis::DensityProfile profile(topology, 2, 1);
  profile.add({0, std::vector<Point>(12, Point{}), {}});
  EXPECT_EQ(find(profile.results(), "density_profile/number_density").values,
            (std::vector<double>{3 / 400.0, 4 / 400.0, 5 / 400.0}));
}

TEST(DensityProfile, UsesRealMasses) {
  auto topology = chains_of({{1, 2, 1}}, {4, 5, 20});
  for (auto& residue : topology.residues.items()) residue.real_mass_amu = 100;
  analysis::DensityProfile profile(topology, 2, 1);
  profile.add({0, std::vector<Point>(2, Point{}), {}});
  EXPECT_NEAR(find(profile.results(), "density_profile/mass_density").values[0],
              1.66053906660 * 2 * 100 / 400, 1e-5);
}

TEST(DensityProfile, MatchesSlab) {
  // 800 residues of 100 amu are in -2 .. 2 about a moving centre, 80 of 50 amu in -10 .. 10.
  const auto topology = chains_of({{80, 10, 100}, {8, 10, 50}}, {4, 5, 20});
  analysis::DensityProfile profile(topology, 2, 10);
  for (int t = 0; t < 30; ++t) {
    std::vector<Point> x;
    for (const double z : evenly(-2, 2, 800)) x.push_back({0, 0, z + 1.3 * t});
    for (const double z : evenly(-10, 10, 80)) x.push_back({0, 0, z + 1.3 * t});
    profile.add({t, x, {}});
  }
  const auto results = profile.results();
  const double slice = 40;  // nm^3
  const auto& position = find(results, "density_profile/position").values;
  const auto& number = find(results, "density_profile/number_density").values;
  const auto& mass = find(results, "density_profile/mass_density_total").values;
  ASSERT_EQ(number.size(), 20U);
  for (std::size_t bin = 0; bin < 10; ++bin) {
    EXPECT_DOUBLE_EQ(position[bin], 2 * static_cast<double>(bin) - 9);
    const double slab = std::abs(position[bin]) < 2 ? 400 : 0;
    EXPECT_NEAR(number[bin], slab / slice, 2 / slice);
    EXPECT_NEAR(number[10 + bin], 8 / slice, 1 / slice);
    EXPECT_NEAR(mass[bin], 1.66053906660 * (slab * 100 + 8 * 50) / slice, 10);
  }
  EXPECT_NEAR(std::accumulate(number.begin(), number.begin() + 10, 0.0) * slice, 800, 1e-9);
  EXPECT_THROW(analysis::DensityProfile(chains_of({{1, 1}}, {5, 5, 0}), 2, 10),
               analysis::AnalysisError);
}

TEST(ChainSizes, MatchRodsAndRing) {
  // Rods of 5 beads, 1 nm apart: Rg^2 = (25 - 1) / 12 = 2; a square of side 2: Rg^2 = 2.
  const auto topology = chains_of({{2, 5}, {1, 4}});
  std::vector<Point> x;
  x.reserve(topology.residues.size());
  for (int bead = 0; bead < 5; ++bead) x.push_back({1e5, 0, 1.0 * bead});
  for (int bead = 0; bead < 5; ++bead) x.push_back({0, 2.0 * bead, 0});
  for (const auto& corner : {Point{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}}) x.push_back(corner);
  analysis::ChainSizes sizes(topology, 20, 10);
  sizes.add({0, x, {}});
  sizes.add({1, x, {}});
  const auto results = sizes.results();
  const double root2 = std::sqrt(2.0);
  const auto& radius = find(results, "chain_sizes/radius_of_gyration").values;
  EXPECT_NEAR(radius[0], 1.5 * root2, 1e-9);
  EXPECT_NEAR(radius[1], root2, 1e-9);
  EXPECT_NEAR(find(results, "chain_sizes/radius_of_gyration_squared").values[0], 5, 1e-6);
  EXPECT_NEAR(find(results, "chain_sizes/end_to_end").values[0], 6, 1e-9);
  EXPECT_NEAR(find(results, "chain_sizes/end_to_end").values[1], 2, 1e-9);
  // Bins of 0.5 nm up to 10: 1.41 is in the third, 2.83 in the sixth, half of the rods in each.
  const auto& spread = find(results, "chain_sizes/radius_of_gyration_distribution").values;
  std::vector<double> expected(40, 0);
  expected[2] = expected[5] = 0.5 / 0.5;
  expected[20 + 2] = 1 / 0.5;
  EXPECT_EQ(spread, expected);
}

TEST(ChainSizes, HistogramsEndAtGivenMaximum) {
  const auto topology = chains_of({{1, 50}});
  const auto histogram_end = [&](const char* size, double largest_nm) {
    const auto results = analysis::ChainSizes(topology, 4, largest_nm).results();
    const auto& middle = find(results, std::string("chain_sizes/") + size + "_bins").values;
    return middle.back() + middle.front();
  };
  EXPECT_DOUBLE_EQ(histogram_end("radius_of_gyration", 2), 2);
  EXPECT_DOUBLE_EQ(histogram_end("end_to_end", 2), 2);
  EXPECT_DOUBLE_EQ(histogram_end("radius_of_gyration", 0), histogram_end("end_to_end", 0) / 2);
}

TEST(Displacement, SteadyMotionIsQuadraticInTime) {
  // Two species separate at 0.1 nm a frame each; all residues move along y at 0.7 nm a frame.
  const auto topology = chains_of({{2, 3}, {2, 3}});
  analysis::Displacement displacement(topology, 2.0);
  for (int t = 0; t < 200; ++t) {
    std::vector<Point> x;
    x.reserve(12);
    for (int i = 0; i < 12; ++i) x.push_back({(i < 6 ? 0.1 : -0.1) * t, 0.7 * t, 1.0 * i});
    displacement.add({t, x, {}});
  }
  const auto results = displacement.results();
  const auto& lag = find(results, "mean_square_displacement/lag").values;
  const auto& value = find(results, "mean_square_displacement/value").values;
  std::vector<double> expected_lags{2, 4, 6, 8, 10, 12, 14};
  for (int level = 1; level <= 5; ++level) {
    for (int k = 4; k < 8; ++k) {
      if (k << level < 200) expected_lags.push_back(2.0 * (k << level));
    }
  }
  EXPECT_EQ(lag, expected_lags);
  ASSERT_EQ(value.size(), 2 * lag.size());
  for (std::size_t k = 0; k < lag.size(); ++k) {
    const double frames = lag[k] / 2;
    const double squared = (0.1 * 0.1 + 0.7 * 0.7) * frames * frames;
    EXPECT_NEAR(value[k], squared, 2e-6);
    EXPECT_NEAR(value[lag.size() + k], squared, 2e-6);
  }
  EXPECT_NEAR(find(results, "mean_square_displacement/exponent").values[1], 2, 1e-6);
  EXPECT_TRUE(
      std::isnan(find(results, "mean_square_displacement/diffusion_coefficient").values[1]));
}

// Overlapping intervals are not independent: 8 lags must fit without overlap.
TEST(Displacement, ErrorNeedsEightIndependentIntervals) {
  const auto topology = chains_of({{1, 1}});
  analysis::Displacement displacement(topology, 1);
  Random random(3);
  for (int t = 0; t < 100; ++t) {
    displacement.add({t, random.points(1, {0, 0, 0}, {1, 1, 1}), {}});
  }
  const auto results = displacement.results();
  const auto& lag = find(results, "mean_square_displacement/lag").values;
  const auto& error = find(results, "mean_square_displacement/error").values;
  ASSERT_FALSE(lag.empty());
  ASSERT_EQ(error.size(), lag.size());
  EXPECT_FALSE(std::isnan(error.front()));
  EXPECT_TRUE(std::isnan(error.back()));
  for (std::size_t k = 0; k < lag.size(); ++k) {
    EXPECT_EQ(std::isnan(error[k]), 8 * lag[k] > 100 - lag[k]) << lag[k];
  }
}

// Random walks of step variance 0.04 nm^2 along each axis: 6 D is three times that a frame. Two
// walks are a thermostatted system of two chains; their centre of mass walks as well.
void expect_random_walk(int chains, int frames) {
  const auto topology = chains_of({{chains, 1}});
  analysis::Displacement displacement(topology, 1);
  Random random(5);
  std::vector<Point> x(static_cast<std::size_t>(chains), Point{});
  for (int t = 0; t < frames; ++t) {
    displacement.add({t, x, {}});
    for (auto& p : x) {
      for (auto& coordinate : p) coordinate += 0.2 * random.nearly_normal();
    }
  }
  const auto results = displacement.results();
  const auto& lag = find(results, "mean_square_displacement/lag").values;
  const auto& value = find(results, "mean_square_displacement/value").values;
  const auto& error = find(results, "mean_square_displacement/error").values;
  ASSERT_FALSE(lag.empty());
  ASSERT_LE(lag.front(), 64);
  ASSERT_EQ(value.size(), lag.size());
  ASSERT_EQ(error.size(), lag.size());
  for (std::size_t k = 0; k < lag.size() && lag[k] <= 64; ++k) {
    const double expected = 3 * 0.04 * lag[k];
    EXPECT_NEAR(value[k], expected, 4 * error[k]) << lag[k];
    EXPECT_LT(error[k], 0.05 * expected) << lag[k];
  }
  const auto found = [&](const char* name) {
    return find(results, std::string("mean_square_displacement/") + name).values[0];
  };
  EXPECT_NEAR(found("diffusion_coefficient"), 0.02, 4 * found("diffusion_coefficient_error"));
  EXPECT_LT(found("diffusion_coefficient_error"), 0.005);
}

TEST(Displacement, ManyRandomWalksDiffuse) { expect_random_walk(300, 1000); }
TEST(Displacement, TwoRandomWalksDiffuse) { expect_random_walk(2, 150'000); }

TEST(Pressure, MatchesIdealGasAndSlab) {
  // N kT / V for 100 particles at kT = 2.5 kJ/mol in 1000 nm^3: 0.25 kJ/mol/nm^3 = 4.1513 bar.
  const analysis::Tensor kinetic{{{250, 0, 0}, {0, 250, 0}, {0, 0, 250}}};
  const auto p = analysis::pressure_bar(kinetic, {}, 1000);
  EXPECT_NEAR(p[1][1], 4.15134767, 1e-7);
  // 10 bar normal, -20 bar tangential, 30 nm: 15 nm * 30 bar = 450 bar nm = 45 mN/m.
  const analysis::Tensor slab{{{-15, 0, 0}, {0, -25, 0}, {0, 0, 10}}};
  EXPECT_NEAR(analysis::surface_tension_mn_m(slab, 2, 30), 45, 1e-12);
  analysis::PressureAverage average(chains_of({{1, 1}}, {5, 5, 30}), 2);
  average.add({0, {}, slab});
  average.add({1, {}, p});
  const auto results = average.results();
  EXPECT_NEAR(find(results, "pressure/surface_tension").values[0], 22.5, 1e-6);
  EXPECT_NEAR(find(results, "pressure/mean").values[0], (4.15134767 - 10) / 2, 1e-6);
  EXPECT_NEAR(find(results, "pressure/tensor").values[4], (4.15134767 - 25) / 2, 1e-6);
}

std::vector<std::unique_ptr<analysis::Accumulator>> make_accumulators(
    const nfold::topology::Topology& topology, double cutoff_nm) {
  std::vector<std::unique_ptr<analysis::Accumulator>> all;
  all.push_back(std::make_unique<analysis::DensityProfile>(topology, 1, 30));
  all.push_back(std::make_unique<analysis::Clusters>(topology, cutoff_nm));
  all.push_back(std::make_unique<analysis::ContactMaps>(topology, cutoff_nm));
  all.push_back(std::make_unique<analysis::ChainSizes>(topology, 25, 2 * cutoff_nm));
  all.push_back(std::make_unique<analysis::Displacement>(topology, cutoff_nm));
  all.push_back(std::make_unique<analysis::PressureAverage>(topology, cutoff_nm > 1 ? 1 : 2));
  return all;
}

TEST(Accumulators, ResumeFromSavedStateExactly) {
  const auto topology = chains_of({{5, 3}, {2, 6}}, {6, 6, 9});
  const auto whole = make_accumulators(topology, 1), first = make_accumulators(topology, 1),
             second = make_accumulators(topology, 1), other = make_accumulators(topology, 1.5);
  Random random(9);
  constexpr int frames = 45, stop = 19;
  for (int t = 0; t < frames; ++t) {
    const auto x = random.points(27, {-6, 0, 0}, {6, 6, 9});
    const analysis::Tensor p{{{1.0 * t, 2, 3}, {4, 5, 6}, {7, 8, 0.5 * t}}};
    for (const auto& accumulator : whole) accumulator->add({t, x, p});
    for (const auto& accumulator : t < stop ? first : second) accumulator->add({t, x, p});
    if (t + 1 < stop || t >= stop) continue;
    for (std::size_t k = 0; k < first.size(); ++k) {
      ASSERT_TRUE(second[k]->restore(first[k]->saved())) << first[k]->name();
      // An accumulator with other settings must refuse these sums.
      const bool has_same_settings = k == 0;  // the profile has no cutoff
      EXPECT_EQ(other[k]->restore(first[k]->saved()), has_same_settings) << first[k]->name();
    }
  }
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(whole[k]->saved(), second[k]->saved()) << whole[k]->name();
    EXPECT_NE(whole[k]->saved(), first[k]->saved()) << whole[k]->name();
  }
}

}  // namespace
