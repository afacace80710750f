// Electrostatics that differ from state to state: interpolation, exchange, reweighting.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

#include "analysis/thermodynamics/ladder_curves.hpp"
#include "analysis/thermodynamics/screening_nodes.hpp"
#include "analysis/thermodynamics/state_reweighting.hpp"
#include "session/ensemble/state_exchange.hpp"

namespace nfold::thermodynamics {
namespace {

constexpr double cutoff_nm = 4;

system::ThermodynamicState salted(double molar, double kelvin = 300) {
  system::ThermodynamicState state{kelvin};
  state.ionic_strength_molar = molar;
  state.coulomb_kj_mol_nm = 1.73 + 0.001 * (kelvin - 300);
  state.kappa_per_nm = 3.28 * std::sqrt(molar);
  return state;
}
std::vector<system::ThermodynamicState> salts(const std::vector<double>& molar) {
  std::vector<system::ThermodynamicState> ladder;
  ladder.reserve(molar.size());
  for (const double one : molar) ladder.push_back(salted(one));
  return ladder;
}

/// Pairs of charges at some distances.
struct Pairs {
  std::vector<double> r, charges;
  [[nodiscard]] double energy(double kappa) const {
    double sum = 0;
    for (std::size_t n = 0; n < r.size(); ++n) {
      sum +=
          charges[n] * (std::exp(-kappa * r[n]) / r[n] - std::exp(-kappa * cutoff_nm) / cutoff_nm);
    }
    return sum;
  }
  [[nodiscard]] std::vector<double> at(const ScreeningNodes& nodes) const {
    std::vector<double> energies;
    for (const double kappa : nodes.kappa_per_nm()) energies.push_back(energy(kappa));
    return energies;
  }
};
Pairs some_pairs(int count) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> distance(0.4, cutoff_nm);
  Pairs pairs;
  for (int n = 0; n < count; ++n) {
    pairs.r.push_back(distance(random));
    pairs.charges.push_back(n % 3 == 0 ? 1 : -0.5);
  }
  return pairs;
}

TEST(ScreeningNodes, InterpolateTheEnergy) {
  const auto pairs = some_pairs(500);
  for (const double highest : {0.011, 0.05, 0.5, 2.0}) {
    const ScreeningNodes nodes(salts({0.01, highest}), cutoff_nm);
    EXPECT_GT(nodes.size(), 1U);
    EXPECT_LT(nodes.size(), 40U);
    const auto kept = pairs.at(nodes);
    const double low = salted(0.01).kappa_per_nm, high = salted(highest).kappa_per_nm;
    double largest = 0;
    for (int k = 0; k <= 100; ++k) {
      const double kappa = low + (high - low) * k / 100;
      const auto weight = nodes.weights(kappa);
      EXPECT_NEAR(std::accumulate(weight.begin(), weight.end(), 0.0), 1, 1e-12);
      const double found = std::inner_product(weight.begin(), weight.end(), kept.begin(), 0.0);
      largest = std::max(largest, std::abs(found - pairs.energy(kappa)));
    }
    // Bound: 500 pairs, each with the tolerance over its distance.
    EXPECT_LT(largest, 500 * ScreeningNodes::tolerance / 0.4) << highest;
  }
  const ScreeningNodes nodes(salts({0.01, 0.5}), cutoff_nm);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    EXPECT_EQ(nodes.weights(nodes.kappa_per_nm()[k])[k], 1);
  }
}

TEST(ScreeningNodes, CountFollowsDifferencesOfStates) {
  EXPECT_EQ(ScreeningNodes().size(), 0U);
  EXPECT_EQ(ScreeningNodes(salts({0.1, 0.1, 0.1}), cutoff_nm).size(), 0U);
  // Another dielectric constant, but the same Debye length.
  auto ladder = salts({0.1, 0.1});
  ladder[1].coulomb_kj_mol_nm *= 1.1;
  const ScreeningNodes one(ladder, cutoff_nm);
  EXPECT_EQ(one.kappa_per_nm(), std::vector<double>{ladder[0].kappa_per_nm});
  // Nearly the same length.
  ladder[1].kappa_per_nm += 1e-8;
  const ScreeningNodes few(ladder, cutoff_nm);
  EXPECT_LE(few.size(), 3U);
  for (const double weight : few.weights(ladder[1].kappa_per_nm)) {
    EXPECT_TRUE(std::isfinite(weight));
  }
  EXPECT_GT(ScreeningNodes(salts({0.01, 1}), cutoff_nm).size(), few.size());
  EXPECT_THROW(ScreeningNodes(salts({0.01, 1}), 0), std::invalid_argument);
}

TEST(LadderPath, FollowsTheSalt) {
  EXPECT_FALSE(LadderPath::is_path(salts({0.1, 0.3, 0.2})));
  const LadderPath path(salts({0.8, 0.2, 0.05}));
  EXPECT_EQ(path.varies(), Varies::ionic_strength);
  EXPECT_EQ(path.lowest(), 0.05);
  const auto between = path.at(0.4);
  EXPECT_EQ(between.ionic_strength_molar, 0.4);
  // The square of kappa is proportional to the salt, so this is exact.
  EXPECT_NEAR(between.kappa_per_nm, salted(0.4).kappa_per_nm, 1e-12);
  EXPECT_EQ(between.coulomb_kj_mol_nm, 1.73);
  const auto tuned = ensemble::equalised_ladder(salts({0.8, 0.2, 0.05}), {0.2, 0.6});
  EXPECT_GT(tuned[1].ionic_strength_molar, 0.2);
  EXPECT_LT(tuned[1].ionic_strength_molar, 0.8);
}

/// Two charges of the same sign near each other or far apart: the share of near ones must stay
/// Boltzmann's at every concentration.
TEST(StateExchange, KeepsBoltzmannDistribution) {
  const auto ladder = salts({0.02, 0.1, 0.4, 1});
  const ScreeningNodes nodes(ladder, cutoff_nm);
  const Pairs near{{0.5}, {4}}, apart{{3}, {4}};
  const auto near_share = [&](const system::ThermodynamicState& state) {
    const double gap = state.coulomb_kj_mol_nm *
                       (near.energy(state.kappa_per_nm) - apart.energy(state.kappa_per_nm));
    return 1 / (1 + std::exp(inverse_temperature(state) * gap));
  };
  ensemble::StateExchange exchange(ladder, 100, 3, nodes);
  std::mt19937_64 random(8);
  std::vector<EnergyParts> energy(static_cast<std::size_t>(exchange.replicas()));
  std::vector<char> is_near(energy.size());
  std::vector<double> count(4, 0);
  FoldingSamples samples;
  samples.states = ladder;
  samples.screening = nodes;
  samples.replicas = exchange.replicas();
  constexpr int attempts = 200;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    for (int r = 0; r < exchange.replicas(); ++r) {
      const auto row = static_cast<std::size_t>(r);
      const auto& state = exchange.replica_state(r);
      is_near[row] = std::bernoulli_distribution(near_share(state))(random) ? 1 : 0;
      const auto& pairs = is_near[row] != 0 ? near : apart;
      const double potential = 10 * r + state.coulomb_kj_mol_nm * pairs.energy(state.kappa_per_nm);
      energy[row] = StatePotential(state, nodes).with_rest({0, 0, 0, pairs.at(nodes)}, potential);
      EXPECT_NEAR(energy[row].rest, 10 * r, 1e-6);
      samples.potential_kj_mol.push_back(potential);
      samples.screened.insert(samples.screened.end(), energy[row].screened.begin(),
                              energy[row].screened.end());
      samples.quantities.resize(1);
      samples.quantities[0].push_back(pairs.r.front() / 2);
      samples.state.push_back(exchange.state_indices()[row]);
      samples.formed_contacts.push_back(0);
    }
    exchange.attempt(energy);
    for (std::size_t r = 0; r < energy.size(); ++r) {
      count[static_cast<std::size_t>(exchange.state_indices()[r])] += is_near[r];
    }
  }
  for (std::size_t k = 0; k < ladder.size(); ++k) {
    const double expected = near_share(ladder[k]), all = 100.0 * attempts;
    EXPECT_NEAR(count[k] / all, expected, 5 * std::sqrt(expected * (1 - expected) / all)) << k;
  }
  EXPECT_GT(exchange.round_trips(), 0);
  ensemble::StateExchange other(ladder, 100, 3, nodes);
  other.restore(exchange.saved());
  EXPECT_EQ(other.ladder(), ladder);
  EXPECT_EQ(other.saved(), exchange.saved());

  // Along the ladder MBAR finds the mean of a sum over two configurations.
  const auto found = ladder_curves(samples, 1);
  ASSERT_EQ(found.quantities.size(), 1U);
  ASSERT_EQ(found.quantities[0].size(), found.grid.size());
  EXPECT_EQ(found.grid.front().ionic_strength_molar, 0.02);
  for (std::size_t k = 0; k < found.grid.size(); ++k) {
    const auto& [value, error] = found.quantities[0][k];
    const double expected = 1.5 - 1.25 * near_share(found.grid[k]);
    EXPECT_GT(error, 0) << k;
    EXPECT_LT(error, 0.01) << k;
    EXPECT_NEAR(value, expected, 5 * error) << k;
  }
}

/// Free energies of salts against the sum over two configurations.
TEST(StateReweighting, WeightsFollowTheScreening) {
  const auto ladder = salts({0.02, 0.3});
  const ScreeningNodes nodes(ladder, cutoff_nm);
  const Pairs near{{0.5}, {4}}, apart{{3}, {4}};
  const auto boltzmann = [](const system::ThermodynamicState& state, const Pairs& pairs) {
    return std::exp(-inverse_temperature(state) * state.coulomb_kj_mol_nm *
                    pairs.energy(state.kappa_per_nm));
  };
  const auto sum = [&](const system::ThermodynamicState& state) {
    return boltzmann(state, near) + boltzmann(state, apart);
  };
  // Samples are in proportion to the weights, so MBAR must be exact.
  std::vector<EnergyParts> energy;
  std::vector<double> count(2, 0);
  constexpr int all = 50'000;
  for (std::size_t k = 0; k < 2; ++k) {
    const int near_ones =
        static_cast<int>(std::lround(all * boltzmann(ladder[k], near) / sum(ladder[k])));
    for (int n = 0; n < all; ++n) {
      const auto& pairs = n < near_ones ? near : apart;
      energy.push_back({0, 0, 0, pairs.at(nodes)});
      count[k] += 1;
    }
  }
  const StateReweighting mbar(ladder, energy, count, nodes);
  EXPECT_NEAR(mbar.free_energies()[1], std::log(sum(ladder[0]) / sum(ladder[1])), 2e-4);
  const auto weights = mbar.weights(LadderPath(ladder).at(0.1));
  double near_weight = 0;
  for (std::size_t n = 0; n < energy.size(); ++n) {
    if (energy[n].screened == near.at(nodes)) near_weight += weights[n];
  }
  const auto middle = salted(0.1);
  EXPECT_NEAR(near_weight, boltzmann(middle, near) / sum(middle), 2e-4);
}

}  // namespace
}  // namespace nfold::thermodynamics
