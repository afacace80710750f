// Overlap of two Gaussians and of states with a gap between them.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/state_overlap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/thermodynamics/ladder_curves.hpp"

namespace nfold::thermodynamics {
namespace {

/// Umbrellas over a flat energy: Gaussians of one width, which is the unit of their distances.
FoldingSamples gaussians(const std::vector<double>& centres_in_widths) {
  constexpr double kelvin = 120, k_kj_mol_nm2 = 60;
  const double width = 1 / std::sqrt(inverse_temperature({kelvin}) * k_kj_mol_nm2);
  FoldingSamples samples;
  for (const double c : centres_in_widths) {
    samples.states.push_back({kelvin, 1, 2 + c * width, k_kj_mol_nm2});
  }
  samples.replicas = static_cast<std::int64_t>(samples.states.size());
  samples.quantities.resize(1);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int time = 0; time < 4'000; ++time) {
    for (std::size_t k = 0; k < samples.states.size(); ++k) {
      const auto& state = samples.states[k];
      const double d = state.umbrella_centre_nm + width * normal(random);
      samples.variable_nm.push_back(d);
      samples.potential_kj_mol.push_back(StatePotential(state)({0, 0, d}));
      samples.quantities[0].push_back(d);
      samples.formed_contacts.push_back(0);
      samples.state.push_back(static_cast<std::int32_t>(k));
    }
  }
  return samples;
}

/// The integral of p q / (p + q) over two normal densities at this distance.
double exact_overlap(double distance) {
  double sum = 0;
  constexpr double step = 1e-3;
  for (double x = -10; x < distance + 10; x += step) {
    const double p = std::exp(-0.5 * x * x), q = std::exp(-0.5 * (x - distance) * (x - distance));
    if (p + q > 0) sum += p * q / (p + q) * step;
  }
  return sum / std::sqrt(2 * std::acos(-1.0));
}

TEST(StateOverlap, EqualsTheIntegralOfTwoGaussians) {
  for (const double distance : {0.5, 2.0, 4.0}) {
    const auto found = neighbour_overlaps(gaussians({0, distance}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0], exact_overlap(distance), 0.006) << distance;
  }
}

TEST(StateOverlap, StaysHighInADenseLadder) {
  std::vector<double> centres(40);
  for (std::size_t k = 0; k < centres.size(); ++k) centres[k] = 0.01 * static_cast<double>(k);
  const auto found = neighbour_overlaps(gaussians(centres));
  ASSERT_EQ(found.size(), 39U);
  for (const double overlap : found) EXPECT_GT(overlap, 0.49);
}

TEST(StateOverlap, ErrorNamesThePairAtAGap) {
  const auto samples = gaussians({0, 1, 12, 13});
  EXPECT_NO_THROW(require_overlap(gaussians({0, 1, 2})));
  for (const bool folds : {true, false}) {
    try {
      if (folds) (void)folding_thermodynamics(samples, 1);
      if (!folds) (void)ladder_curves(samples, 1);
      FAIL() << "a number across the gap";
    } catch (const analysis::AnalysisError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("overlap by less than 0.03: umbrella at 2.13 nm and umbrella at 3.55 nm "
                          "(overlap 0.000); put states between them"),
                std::string::npos)
          << text;
    }
  }
}

TEST(StateOverlap, GapCutsStatesIntoRanges) {
  const auto ranges = joined_states({0.2, 0.001, 0.03});
  ASSERT_EQ(ranges.size(), 2U);
  EXPECT_EQ(ranges[0].first, 0U);
  EXPECT_EQ(ranges[0].last, 1U);
  EXPECT_EQ(ranges[1].first, 2U);
  EXPECT_EQ(ranges[1].last, 3U);
  EXPECT_EQ(joined_states({}).size(), 1U);
}

TEST(StateOverlap, MoreThanEightGapsAreCounted) {
  FoldingSamples samples;
  for (int k = 0; k < 12; ++k) samples.states.push_back({100.0 + 50 * k});
  const auto text = describe_gaps(LadderPath(samples.states), std::vector<double>(11, 0.0));
  EXPECT_EQ(text.find("100.0 K and 150.0 K (overlap 0.000), 150.0 K and"), 0U) << text;
  EXPECT_NE(text.find("(overlap 0.000) and 3 more pairs"), std::string::npos) << text;
}

}  // namespace
}  // namespace nfold::thermodynamics
