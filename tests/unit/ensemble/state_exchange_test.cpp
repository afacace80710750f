// Replica exchange: Metropolis acceptance, detailed balance, counts and checkpoints.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/state_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>

#include "replicas/exchange_decision.hpp"
#include "system/units.hpp"

namespace nfold::ensemble {
namespace {

std::vector<system::ThermodynamicState> at_temperatures(const std::vector<double>& kelvin) {
  std::vector<system::ThermodynamicState> ladder;
  ladder.reserve(kelvin.size());
  for (const double t : kelvin) ladder.push_back({t});
  return ladder;
}
std::vector<system::ThermodynamicState> geometric(double lowest, double highest, int count) {
  return at_temperatures(geometric_ladder(lowest, highest, count));
}
/// Energy parts of systems without native contacts.
std::vector<thermodynamics::EnergyParts> without_contacts(const std::vector<double>& energy) {
  std::vector<thermodynamics::EnergyParts> parts;
  parts.reserve(energy.size());
  for (const double e : energy) parts.push_back({e, 0});
  return parts;
}

// Test case 9 of physics.md: 300 and 310 K, -120 and -110 kJ/mol.
TEST(StateExchange, AcceptanceMatchesMetropolis) {
  constexpr int trials = 40'000;
  const double difference =
      (1 / (system::k_boltzmann * 310) - 1 / (system::k_boltzmann * 300)) * (-120 + 110);
  EXPECT_NEAR(difference, 0.12932511294917, 1e-12);
  int accepted = 0;
  for (int k = 0; k < trials; ++k) {
    accepted +=
        replicas::accepts_exchange({7, 3, 1, static_cast<std::uint64_t>(k)}, difference) ? 1 : 0;
  }
  const double expected = 0.87868824617545;
  EXPECT_NEAR(accepted / double{trials}, expected,
              5 * std::sqrt(expected * (1 - expected) / trials));
  EXPECT_TRUE(replicas::accepts_exchange({7, 3, 1, 0}, 0));
  EXPECT_TRUE(replicas::accepts_exchange({7, 3, 1, 0}, -difference));
  EXPECT_FALSE(replicas::accepts_exchange({7, 3, 1, 0}, std::nan("")));
}

TEST(StateExchange, GeometricLadderHasItsEnds) {
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

TEST(StateExchange, EqualisedLadderMovesTowardsRareExchanges) {
  const auto before = at_temperatures({100, 110, 120, 130});
  const auto even = equalised_ladder(before, {0.3, 0.3, 0.3});
  EXPECT_NEAR(even[1].temperature_kelvin, 110, 0.1);
  EXPECT_NEAR(even[2].temperature_kelvin, 120, 0.1);
  const auto moved = equalised_ladder(before, {0.8, 0.05, 0.8});
  EXPECT_EQ(moved.front(), before.front());
  EXPECT_EQ(moved.back(), before.back());
  EXPECT_GT(moved[1].temperature_kelvin, 110);
  EXPECT_LT(moved[2].temperature_kelvin, 120);
  EXPECT_LT(moved[2].temperature_kelvin - moved[1].temperature_kelvin, 10);
  // Contact strengths move likewise; the temperature stays bitwise the same.
  const auto strengths =
      equalised_ladder({{100, 1}, {100, 0.9}, {100, 0.8}, {100, 0.7}}, {0.8, 0.05, 0.8});
  for (const auto& state : strengths) EXPECT_EQ(state.temperature_kelvin, 100);
  EXPECT_EQ(strengths.back().contact_strength, 0.7);
  EXPECT_LT(strengths[1].contact_strength, 0.9);
  EXPECT_GT(strengths[2].contact_strength, 0.8);
}

/// Attempts exchanges with oscillator energies drawn anew each time, with a latent heat in the
/// middle of the ladder.
void attempt_often(StateExchange& exchange, int attempts, std::mt19937_64& random) {
  std::vector<double> energy(static_cast<std::size_t>(exchange.replicas()));
  for (int attempt = 0; attempt < attempts; ++attempt) {
    for (int r = 0; r < exchange.replicas(); ++r) {
      const double kelvin = exchange.replica_state(r).temperature_kelvin;
      const double kt = system::k_boltzmann * kelvin;
      // Latent heat around 150 K.
      const double heat = 80 / (1 + std::exp(-(kelvin - 150) / 2));
      std::gamma_distribution<double> gamma(20, kt);
      energy[static_cast<std::size_t>(r)] = gamma(random) + heat;
    }
    exchange.attempt(without_contacts(energy));
  }
}

double spread(const StateExchange& exchange) {
  double least = 1, most = 0;
  for (const auto& pair : exchange.pairs()) {
    least = std::min(least, pair.acceptance());
    most = std::max(most, pair.acceptance());
  }
  return most - least;
}

TEST(StateExchange, TuningMakesAcceptanceEqual) {
  StateExchange exchange(geometric(100, 200, 10), 20, 4);
  std::mt19937_64 random(6);
  attempt_often(exchange, 200, random);
  const double before = spread(exchange);
  EXPECT_GT(before, 0.3);
  for (const int step : {1000, 2000, 4000}) {
    exchange.change_ladder(step, exchange.tuned_ladder());
    EXPECT_EQ(exchange.round_trips(), 0);
    EXPECT_EQ(exchange.pairs()[3].attempts, 0);
    EXPECT_EQ(exchange.flow()[3].from_first, 0);
    attempt_often(exchange, 400, random);
  }
  EXPECT_LT(spread(exchange), before / 3);
  EXPECT_EQ(exchange.ladder().front().temperature_kelvin, 100);
  EXPECT_EQ(exchange.ladder().back().temperature_kelvin, 200);
  ASSERT_EQ(exchange.history().size(), 4U);
  EXPECT_EQ(exchange.history()[0].states, geometric(100, 200, 10));
  EXPECT_EQ(exchange.history()[2].step, 2000);
  // Replicas at an end came from that end last; the fraction falls in between.
  const auto share = [&](std::size_t state) {
    const auto& here = exchange.flow()[state];
    return static_cast<double>(here.from_first) /
           static_cast<double>(here.from_first + here.from_last);
  };
  EXPECT_EQ(share(0), 1);
  EXPECT_EQ(share(9), 0);
  EXPECT_GT(share(2), share(7));
  // Saved states include the ladder.
  StateExchange other(geometric(100, 200, 10), 20, 4);
  other.restore(exchange.saved());
  EXPECT_EQ(other.ladder(), exchange.ladder());
  EXPECT_EQ(other.saved(), exchange.saved());
  EXPECT_THROW(exchange.change_ladder(1, at_temperatures({100, 120})), std::invalid_argument);
  EXPECT_THROW(exchange.change_ladder(1, at_temperatures(std::vector<double>(10, 120))),
               std::invalid_argument);
}

TEST(StateExchange, CountsRoundTripsFromFirstEnd) {
  // Two replicas always exchange; one begins at the top, and its way down is no round trip.
  StateExchange exchange(at_temperatures({100, 200}), 1, 1);
  const auto exchange_once = [&] {  // the colder replica has the higher energy: accepted
    const bool swapped = exchange.state_indices()[0] == 1;
    exchange.attempt(
        without_contacts(swapped ? std::vector<double>{0, 1000} : std::vector<double>{1000, 0}));
  };
  for (int k = 0; k < 5; ++k) exchange_once();  // pairs are tried at every other attempt
  EXPECT_EQ(exchange.state_indices(), (std::vector<int>{1, 0}));
  EXPECT_EQ(exchange.replica_round_trips(), (std::vector<std::int64_t>{1, 1}));
}

/// Harmonic oscillators of 40 degrees of freedom with energies drawn anew for each attempt: every
/// temperature must keep its mean energy.
TEST(StateExchange, PreservesDistributionOfTemperatures) {
  constexpr double degrees = 40;
  StateExchange exchange(geometric(100, 200, 6), 50, 11);
  std::mt19937_64 random(5);
  std::vector<double> energy(static_cast<std::size_t>(exchange.replicas()));
  const auto draw = [&](int r) {
    std::gamma_distribution<double> gamma(
        degrees / 2, system::k_boltzmann * exchange.replica_state(r).temperature_kelvin);
    energy[static_cast<std::size_t>(r)] = gamma(random);
  };
  std::vector<double> sum(6, 0), number(6, 0);
  constexpr int attempts = 400;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    for (int r = 0; r < exchange.replicas(); ++r) draw(r);
    exchange.attempt(without_contacts(energy));
    for (int r = 0; r < exchange.replicas(); ++r) {
      const auto state =
          static_cast<std::size_t>(exchange.state_indices()[static_cast<std::size_t>(r)]);
      sum[state] += energy[static_cast<std::size_t>(r)];
      number[state] += 1;
    }
  }
  for (std::size_t k = 0; k < 6; ++k) {
    const double kt = system::k_boltzmann * exchange.ladder()[k].temperature_kelvin;
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

/// Two-state contacts with a different strength in each state: the fraction of formed contacts must
/// stay that of the Boltzmann distribution.
TEST(StateExchange, PreservesDistributionOfStrengths) {
  const std::vector<system::ThermodynamicState> ladder{
      {120, 1}, {120, 0.8}, {120, 0.6}, {120, 0.4}};
  constexpr double deep_kj_mol = -2;
  StateExchange exchange(ladder, 100, 3);
  const auto formed_share = [&](const system::ThermodynamicState& state) {
    const double weight =
        std::exp(-thermodynamics::StatePotential(state).reduced({0, deep_kj_mol}));
    return weight / (1 + weight);
  };
  std::mt19937_64 random(8);
  std::vector<thermodynamics::EnergyParts> energy(static_cast<std::size_t>(exchange.replicas()));
  std::vector<double> formed(4, 0);
  constexpr int attempts = 400;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    for (int r = 0; r < exchange.replicas(); ++r) {
      std::bernoulli_distribution forms(formed_share(exchange.replica_state(r)));
      // Energies independent of the strength must not matter.
      energy[static_cast<std::size_t>(r)] = {100.0 * r, forms(random) ? deep_kj_mol : 0};
    }
    exchange.attempt(energy);
    for (int r = 0; r < exchange.replicas(); ++r) {
      const auto state =
          static_cast<std::size_t>(exchange.state_indices()[static_cast<std::size_t>(r)]);
      formed[state] += energy[static_cast<std::size_t>(r)].contacts < 0 ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < ladder.size(); ++k) {
    const double expected = formed_share(ladder[k]), count = 100.0 * attempts;
    EXPECT_NEAR(formed[k] / count, expected, 5 * std::sqrt(expected * (1 - expected) / count));
  }
  EXPECT_GT(exchange.round_trips(), 0);
  // Checkpoints include the states.
  StateExchange other(ladder, 100, 3);
  other.restore(exchange.saved());
  EXPECT_EQ(other.saved(), exchange.saved());
  EXPECT_EQ(other.ladder(), ladder);
}

TEST(LadderPath, AcceptsMonotonicLaddersOnly) {
  EXPECT_TRUE(thermodynamics::LadderPath::is_path({{100}}));
  EXPECT_TRUE(thermodynamics::LadderPath::is_path({{100, 1}, {110, 0.5}, {120, 2}}));
  EXPECT_TRUE(thermodynamics::LadderPath::is_path({{100, 1}, {100, 0.5}}));
  EXPECT_TRUE(thermodynamics::LadderPath::is_path({{100, 0.5}, {100, 1}}));
  EXPECT_TRUE(thermodynamics::LadderPath::is_path({{100, 1, 0, 50}, {100, 1, 1, 50}}));
  EXPECT_FALSE(
      thermodynamics::LadderPath::is_path({{100, 1, 2, 50}, {100, 1, 1, 50}, {100, 1, 3, 50}}));
  EXPECT_FALSE(thermodynamics::LadderPath::is_path({}));
  EXPECT_FALSE(thermodynamics::LadderPath::is_path({{110}, {100}}));
  EXPECT_FALSE(thermodynamics::LadderPath::is_path({{100}, {100}}));
  EXPECT_FALSE(thermodynamics::LadderPath::is_path({{100, 1}, {100, 0.5}, {100, 0.7}}));
  EXPECT_FALSE(thermodynamics::LadderPath::is_path({{100, 1}, {100, 0.5}, {110, 0.4}}));
  EXPECT_FALSE(thermodynamics::LadderPath::is_path({{100, 1}, {100, 0}}));
  EXPECT_THROW(thermodynamics::LadderPath({{110}, {100}}), std::invalid_argument);
}

TEST(LadderPath, InterpolatesLinearly) {
  const thermodynamics::LadderPath temperature_path({{100, 1}, {120, 0.5}});
  EXPECT_EQ(temperature_path.varies(), thermodynamics::Varies::temperature);
  EXPECT_EQ(temperature_path.at(105), (system::ThermodynamicState{105, 0.875}));
  EXPECT_EQ(temperature_path.at(150), (system::ThermodynamicState{120, 0.5}));
  const thermodynamics::LadderPath strength_path({{100, 1}, {100, 0.75}, {100, 0.5}});
  EXPECT_EQ(strength_path.varies(), thermodynamics::Varies::contact_strength);
  EXPECT_EQ(strength_path.lowest(), 0.5);
  EXPECT_EQ(strength_path.highest(), 1);
  EXPECT_EQ(strength_path.at(0.625), (system::ThermodynamicState{100, 0.625}));
  EXPECT_EQ(strength_path.at(0.2), (system::ThermodynamicState{100, 0.5}));
  const thermodynamics::LadderPath umbrella_path({{100, 1, 1, 50}, {100, 1, 2, 50}});
  EXPECT_EQ(umbrella_path.varies(), thermodynamics::Varies::umbrella_centre);
  EXPECT_EQ(umbrella_path.at(1.25), (system::ThermodynamicState{100, 1, 1.25, 50}));
}

TEST(StateExchange, ResumesFromSavedState) {
  StateExchange whole(geometric(100, 140, 4), 3, 2), first(whole), second(whole);
  const auto energies = [](int attempt) {
    std::vector<double> e(12);
    for (std::size_t r = 0; r < e.size(); ++r) e[r] = std::sin(3.0 * attempt + 1.7 * double(r));
    return without_contacts(e);
  };
  for (int k = 0; k < 30; ++k) whole.attempt(energies(k));
  for (int k = 0; k < 11; ++k) first.attempt(energies(k));
  second.restore(first.saved());
  for (int k = 11; k < 30; ++k) second.attempt(energies(k));
  EXPECT_EQ(second.saved(), whole.saved());
  EXPECT_EQ(second.state_indices(), whole.state_indices());
  StateExchange other(geometric(100, 140, 5), 3, 2);
  EXPECT_THROW(other.restore(first.saved()), std::invalid_argument);
  auto broken = first.saved();
  broken[1] = broken[2];
  EXPECT_THROW(second.restore(broken), std::invalid_argument);
}

/// Three ladders of four states on two ranks; both ranks have replicas of the middle ladder.
TEST(StateExchange, PartsMatchWhole) {
  StateExchange whole(geometric(100, 140, 4), 3, 2);
  std::vector<StateExchange> parts(2, whole);
  const std::vector<LadderShare> shares{{{0, 2}, {0, 2}}, {{1, 3}, {2, 3}}};
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> energy_distribution(-2, 2);
  for (int attempt = 0; attempt < 20; ++attempt) {
    std::vector<double> energy(12);
    for (auto& e : energy) e = energy_distribution(random);
    const auto all = without_contacts(energy);
    whole.attempt(all);
    parts[0].attempt({all.begin(), all.begin() + 8}, shares[0]);
    parts[1].attempt({all.begin() + 4, all.end()}, shares[1]);
  }
  for (int r = 0; r < 8; ++r) EXPECT_EQ(parts[0].replica_state(r), whole.replica_state(r));
  for (int r = 4; r < 12; ++r) EXPECT_EQ(parts[1].replica_state(r), whole.replica_state(r));
  EXPECT_THROW((void)parts[0].replica_state(8), std::logic_error);
  EXPECT_THROW((void)parts[1].replica_state(3), std::logic_error);
  EXPECT_THROW((void)parts[0].saved(), std::logic_error);
  EXPECT_THROW(parts[0].change_ladder(20, whole.ladder()), std::logic_error);
  EXPECT_THROW(parts[0].attempt(without_contacts(std::vector<double>(12)), {{0, 3}, {0, 3}}),
               std::logic_error);
  auto all = parts[0].changes();
  const auto others = parts[1].changes();
  EXPECT_THROW(parts[0].apply_changes(others), std::invalid_argument) << "of some replicas only";
  all.walks.insert(all.walks.end(), others.walks.begin(), others.walks.end());
  for (std::size_t k = 0; k < all.counts.size(); ++k) all.counts[k] += others.counts[k];
  for (auto& part : parts) {
    part.apply_changes(all);
    EXPECT_EQ(part.saved(), whole.saved());
  }
}

}  // namespace
}  // namespace nfold::ensemble
