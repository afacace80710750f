// Trades of temperatures: Metropolis' numbers, detailed balance, what is counted and kept.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/temperature_exchange.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "dynamics/draws.hpp"
#include "dynamics/units.hpp"

namespace nfold::ensemble {
namespace {

// Test case 9 of physics.md: 300 and 310 K, -120 and -110 kJ/mol.
TEST(TemperatureExchange, AcceptsAsOftenAsMetropolisSays) {
  constexpr int trials = 40'000;
  const double difference =
      (1 / (dynamics::k_boltzmann * 310) - 1 / (dynamics::k_boltzmann * 300)) * (-120 + 110);
  EXPECT_NEAR(difference, 0.12932511294917, 1e-12);
  int accepted = 0;
  for (int k = 0; k < trials; ++k) {
    accepted +=
        dynamics::accepts_exchange({7, 3, 1, static_cast<std::uint64_t>(k)}, difference) ? 1 : 0;
  }
  const double expected = 0.87868824617545;
  EXPECT_NEAR(accepted / double{trials}, expected,
              5 * std::sqrt(expected * (1 - expected) / trials));
  EXPECT_TRUE(dynamics::accepts_exchange({7, 3, 1, 0}, 0));
  EXPECT_TRUE(dynamics::accepts_exchange({7, 3, 1, 0}, -difference));
  EXPECT_FALSE(dynamics::accepts_exchange({7, 3, 1, 0}, std::nan("")));
}

TEST(TemperatureExchange, GeometricLadderHasItsEnds) {
  const auto kelvin = geometric_ladder(80, 160, 5);
  ASSERT_EQ(kelvin.size(), 5U);
  EXPECT_EQ(kelvin.front(), 80);
  EXPECT_EQ(kelvin.back(), 160);
  for (std::size_t k = 0; k + 1 < 5; ++k)
    EXPECT_NEAR(kelvin[k + 1] / kelvin[k], std::pow(2, 0.25), 1e-12);
  EXPECT_EQ(geometric_ladder(80, 80, 1), std::vector<double>{80});
  EXPECT_THROW((void)geometric_ladder(80, 70, 3), std::invalid_argument);
  EXPECT_THROW((void)geometric_ladder(80, 80, 3), std::invalid_argument);
  EXPECT_THROW((void)geometric_ladder(0, 80, 3), std::invalid_argument);
}

TEST(TemperatureExchange, EqualisedLadderMovesTowardsWhereTradesAreRare) {
  const std::vector<double> before{100, 110, 120, 130};
  const auto even = equalised_ladder(before, {0.3, 0.3, 0.3});
  EXPECT_NEAR(even[1], 110, 0.1);
  EXPECT_NEAR(even[2], 120, 0.1);
  const auto moved = equalised_ladder(before, {0.8, 0.05, 0.8});
  EXPECT_EQ(moved.front(), 100);
  EXPECT_EQ(moved.back(), 130);
  EXPECT_GT(moved[1], 110);
  EXPECT_LT(moved[2], 120);
  EXPECT_LT(moved[2] - moved[1], 10);
}

/// Harmonic oscillators of 40 degrees of freedom whose energies are drawn anew for each attempt:
/// every temperature must go on seeing its own mean energy, whoever holds it.
TEST(TemperatureExchange, KeepsEachTemperaturesDistribution) {
  constexpr double degrees = 40;
  TemperatureExchange exchange(geometric_ladder(100, 200, 6), 50, 11);
  std::mt19937_64 random(5);
  std::vector<double> energy(static_cast<std::size_t>(exchange.replicas()));
  const auto draw = [&](int r) {
    std::gamma_distribution<double> gamma(degrees / 2,
                                          dynamics::k_boltzmann * exchange.temperature_of(r));
    energy[static_cast<std::size_t>(r)] = gamma(random);
  };
  std::vector<double> sum(6, 0), number(6, 0);
  constexpr int attempts = 400;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    for (int r = 0; r < exchange.replicas(); ++r) draw(r);
    exchange.attempt(energy);
    for (int r = 0; r < exchange.replicas(); ++r) {
      const auto state = static_cast<std::size_t>(exchange.state_of()[static_cast<std::size_t>(r)]);
      sum[state] += energy[static_cast<std::size_t>(r)];
      number[state] += 1;
    }
  }
  for (std::size_t k = 0; k < 6; ++k) {
    const double kt = dynamics::k_boltzmann * exchange.temperatures_kelvin()[k];
    EXPECT_EQ(number[k], 50.0 * attempts);
    // Standard deviation of the energy: sqrt(degrees / 2) kT.
    EXPECT_NEAR(sum[k] / number[k], degrees / 2 * kt,
                5 * std::sqrt(degrees / 2) * kt / std::sqrt(number[k]));
  }
  EXPECT_GT(exchange.round_trips(), 0);
  for (const auto& pair : exchange.pairs()) {
    EXPECT_EQ(pair.attempts, 50 * attempts / 2);
    EXPECT_GT(pair.acceptance(), 0.3);
    EXPECT_LT(pair.acceptance(), 0.7);
  }
}

TEST(TemperatureExchange, GoesOnFromWhatWasSaved) {
  TemperatureExchange whole(geometric_ladder(100, 140, 4), 3, 2), first(whole), second(whole);
  const auto energies = [](int attempt) {
    std::vector<double> e(12);
    for (std::size_t r = 0; r < e.size(); ++r) e[r] = std::sin(3.0 * attempt + 1.7 * double(r));
    return e;
  };
  for (int k = 0; k < 30; ++k) whole.attempt(energies(k));
  for (int k = 0; k < 11; ++k) first.attempt(energies(k));
  second.restore(first.saved());
  for (int k = 11; k < 30; ++k) second.attempt(energies(k));
  EXPECT_EQ(second.saved(), whole.saved());
  EXPECT_EQ(second.state_of(), whole.state_of());
  TemperatureExchange other(geometric_ladder(100, 140, 5), 3, 2);
  EXPECT_THROW(other.restore(first.saved()), std::invalid_argument);
  auto broken = first.saved();
  broken[1] = broken[2];
  EXPECT_THROW(second.restore(broken), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::ensemble
