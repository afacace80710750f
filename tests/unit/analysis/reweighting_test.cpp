// MBAR against states with known free energies.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/reweighting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>

namespace nfold::analysis {
namespace {

/// Samples of harmonic oscillators at kT = 1; the feature is x^2 / 2.
SampledStates oscillators(const std::vector<double>& stiffness, int samples) {
  SampledStates states;
  states.coefficient = stiffness;
  std::mt19937_64 random(3);
  for (const double k : stiffness) {
    std::normal_distribution<double> x(0, 1 / std::sqrt(k));
    for (int n = 0; n < samples; ++n) {
      const double position = x(random);
      states.feature.push_back(0.5 * position * position);
    }
    states.count.push_back(samples);
  }
  return states;
}

// Test case 9 of physics.md with two more states: f = ln(k / k_0) / 2.
TEST(Reweighting, FindsFreeEnergiesOfOscillators) {
  const std::vector<double> stiffness{1, 4, 16, 50};
  const Reweighting mbar(oscillators(stiffness, 20'000));
  for (std::size_t k = 0; k < stiffness.size(); ++k) {
    EXPECT_NEAR(mbar.free_energies()[k], 0.5 * std::log(stiffness[k]), 0.02) << k;
    EXPECT_NEAR(mbar.free_energy({&stiffness[k], 1}), mbar.free_energies()[k], 1e-8) << k;
  }
  EXPECT_NEAR(mbar.free_energies()[1], 0.69314718056, 0.02);
  const double between = 8;
  const auto weights = mbar.weights({&between, 1});
  double sum = 0, mean = 0;
  for (std::size_t n = 0; n < weights.size(); ++n) {
    sum += weights[n];
    mean += weights[n] * 2 * mbar.states().feature[n];
  }
  EXPECT_NEAR(sum, 1, 1e-10);
  EXPECT_NEAR(mean, 1 / between, 0.003);  // <x^2> of a state that was not sampled
  const auto overlap = mbar.overlap();
  for (std::size_t k = 0; k < 4; ++k) {
    double row = 0;
    for (std::size_t l = 0; l < 4; ++l) row += overlap[4 * k + l];
    EXPECT_NEAR(row, 1, 1e-6);
  }
}

/// More samples than one block of the sums holds.
TEST(Reweighting, IsBitwiseIndependentOfLoopOrder) {
  const auto states = oscillators({1, 4, 16, 50}, 5'000);
  std::size_t most = 0;
  const auto backwards = [&most](std::size_t items, const auto& item) {
    most = std::max(most, items);
    for (std::size_t k = items; k-- > 0;) item(k);
  };
  const Reweighting forwards(states);
  EXPECT_EQ(Reweighting(states, {}, backwards).free_energies(), forwards.free_energies());
  EXPECT_EQ(most, 20'000U / 1024);
  const double between = 8;
  EXPECT_EQ(Reweighting(states, {}, backwards).weights({&between, 1}),
            forwards.weights({&between, 1}));
}

/// Two features: springs k (x - c)^2 / 2 of one stiffness and several centres.
TEST(Reweighting, FindsFreeEnergiesOfUmbrellas) {
  SampledStates states;
  states.features = 2;
  std::mt19937_64 random(9);
  const std::vector<double> centre{0, 0.5, 1, 1.5};
  for (const double c : centre) {
    // The window 5 (x - c)^2 / 2 is added to x^2/2, without its constant 5 c^2 / 2.
    states.coefficient.insert(states.coefficient.end(), {6, -5 * c});
    std::normal_distribution<double> x(5 * c / 6, 1 / std::sqrt(6.0));
    for (int n = 0; n < 10'000; ++n) {
      const double position = x(random);
      states.feature.insert(states.feature.end(), {0.5 * position * position, position});
    }
    states.count.push_back(10'000);
  }
  const Reweighting mbar(states);
  for (std::size_t k = 0; k < centre.size(); ++k) {
    EXPECT_NEAR(mbar.free_energies()[k], -0.5 * std::pow(5 * centre[k], 2) / 6, 0.05) << k;
  }
}

TEST(Reweighting, RefusesEmptyStatesAndNonFiniteFeatures) {
  SampledStates none;
  EXPECT_THROW(Reweighting{none}, std::invalid_argument);
  auto states = oscillators({1, 2}, 10);
  states.count[1] = 0;
  EXPECT_THROW(Reweighting{states}, std::invalid_argument);
  states = oscillators({1, 2}, 10);
  states.feature[3] = std::nan("");
  EXPECT_THROW(Reweighting{states}, std::invalid_argument);
}

TEST(Reweighting, FindsInefficiencyOfAutoregressiveSeries) {
  constexpr double memory = 0.9;  // g = (1 + a) / (1 - a) = 19
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> series{0};
  while (series.size() < 20'000) {
    series.push_back(memory * series.back() + normal(random));
  }
  EXPECT_NEAR(statistical_inefficiency(series), 19, 4);
  EXPECT_EQ(statistical_inefficiency(std::vector<double>(50, 2.0)), 1);
}

}  // namespace
}  // namespace nfold::analysis
