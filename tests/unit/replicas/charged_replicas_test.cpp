// Replicas with charges: screened energies and electrostatics of each state.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "model/start/initial_state.hpp"
#include "replicas/replica_set.hpp"
#include "support/condensates.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/same_bits.hpp"
#include "support/systems.hpp"
#include "system/units.hpp"

namespace nfold::replicas {
namespace {

const auto* const scope = test::start_kokkos();

/// Four chains in open space.
topology::Topology few_chains() {
  test::CondensateOptions options;
  options.box = {};
  options.rows = options.layers = 2;
  return test::condensate(options);
}

engine::EngineSettings chain_settings() { return test::settings_of_chains(77); }

/// Electrostatic energy by physics.md, pair by pair.
double electrostatic_energy(const topology::Topology& t, const system::State& state, double kappa) {
  const auto& e = t.electrostatics;
  const double at_cutoff = std::exp(-kappa * e.cutoff_nm) / e.cutoff_nm;
  double sum = 0;
  for (int i = 0; i < t.residue_count(); ++i) {
    for (int j = i + 1; j < t.residue_count(); ++j) {
      if (std::binary_search(t.exclusions.begin(), t.exclusions.end(), std::pair{i, j})) continue;
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      const auto x = system::position_nm(t.box, state.position[a]);
      const auto y = system::position_nm(t.box, state.position[b]);
      const double r = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
      if (r >= e.cutoff_nm) continue;
      sum += t.residues[a].charge_e * t.residues[b].charge_e *
             (std::exp(-kappa * r) / r - (e.shifted ? at_cutoff : 0));
    }
  }
  return sum;
}

TEST(ChargedReplicas, ScreenedEnergiesMatchPairSums) {
  const auto topology = few_chains();
  const auto start = test::shaken_native(topology, 0.02, 3);
  const std::vector<double> kappa{0.3, topology.electrostatics.kappa_per_nm, 2.5};
  for (const auto precision : {engine::Precision::mixed, engine::Precision::full}) {
    auto settings = chain_settings();
    settings.precision = precision;
    auto engine = test::engine_alone(topology, settings, start);
    const auto found = engine.screened_energies(kappa);
    ASSERT_EQ(found.size(), kappa.size());
    for (std::size_t k = 0; k < kappa.size(); ++k) {
      // Coordinates of mixed precision are rounded to 2^-20 nm or so.
      EXPECT_NEAR(found[k], electrostatic_energy(topology, start, kappa[k]), 2e-5) << kappa[k];
    }
    EXPECT_NEAR(found[1] * topology.electrostatics.coulomb_kj_mol_nm,
                engine.energies().electrostatic, 1e-7);
    EXPECT_GT(std::abs(found[0] - found[2]), 0.1);
    EXPECT_TRUE(engine.screened_energies({}).empty());
  }
}

TEST(ChargedReplicas, ScreenedEnergyVanishesWithoutCharges) {
  const auto topology = test::ubiquitin();
  auto engine = test::engine_alone(topology, chain_settings(), start::native_start(topology));
  EXPECT_EQ(engine.screened_energies({1.0}), std::vector<double>{0});
  ReplicaSetOptions options;
  options.kappa_per_nm = {1};
  const std::vector<ReplicaStart> starts{{1, {100}, start::native_start(topology)}};
  for (const auto form : {ReplicaForm::resident, ReplicaForm::engines}) {
    options.form = form;
    ReplicaSet set(topology, chain_settings(), starts, options);
    EXPECT_EQ(set.energies().front().screened, std::vector<double>{0});
  }
}

/// Thermodynamic state with the members that a replica set reads.
system::ThermodynamicState charged(double kelvin, double coulomb, double kappa) {
  system::ThermodynamicState state{kelvin};
  state.coulomb_kj_mol_nm = coulomb;
  state.kappa_per_nm = kappa;
  return state;
}

std::vector<ReplicaStart> make_starts(const topology::Topology& topology,
                                      const std::vector<system::ThermodynamicState>& states) {
  std::vector<ReplicaStart> starts;
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto number = static_cast<std::uint32_t>(100 * k + 5);
    auto state = test::shaken_native(topology, 0.02, number);
    start::draw_velocities(topology, states[k].temperature_kelvin, 9, number, state);
    starts.push_back({number, states[k], state});
  }
  return starts;
}

/// Final state of a separate engine with the state's charges in its topology.
system::State advanced_alone(topology::Topology topology, const ReplicaStart& start,
                             const system::ThermodynamicState& in, std::int64_t steps) {
  topology.electrostatics.coulomb_kj_mol_nm = in.coulomb_kj_mol_nm;
  topology.electrostatics.kappa_per_nm = in.kappa_per_nm;
  auto settings = chain_settings();
  settings.replica = start.number;
  settings.temperature_kelvin = in.temperature_kelvin;
  auto engine = test::engine_alone(topology, settings, start.state);
  engine.advance(steps);
  return engine.owned_state();
}

void expect_charges_of_each_state(const topology::Topology& topology) {
  const std::vector<system::ThermodynamicState> states{
      charged(300, 1.7, 0.5), charged(300, 1.7, 1.5), charged(320, 1.8, 1.0)};
  const auto starts = make_starts(topology, states);
  ReplicaSetOptions options;
  options.kappa_per_nm = {0.5, 1.0, 1.5};
  ReplicaSet set(topology, chain_settings(), starts, options);
  set.advance(150);
  const auto energies = set.energies();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const auto now = set.state(static_cast<int>(k));
    EXPECT_EQ(now.position, advanced_alone(topology, starts[k], states[k], 150).position) << k;
    const auto& one = energies[k];
    ASSERT_EQ(one.screened.size(), 3U);
    const std::array<std::size_t, 3> own{0, 2, 1};
    EXPECT_NEAR(states[k].coulomb_kj_mol_nm * one.screened[own[k]], one.energies.electrostatic,
                1e-7);
    EXPECT_EQ(one.formed_contacts, 0);
  }

  // After an exchange the new states act, and nothing of the old ones remains.
  const std::vector<system::ThermodynamicState> traded{states[1], states[0], states[2]};
  auto from = starts;
  for (std::size_t k = 0; k < from.size(); ++k) from[k].state = set.state(static_cast<int>(k));
  set.set_states(traded);
  set.advance(100);
  for (std::size_t k = 0; k < traded.size(); ++k) {
    EXPECT_EQ(set.state(static_cast<int>(k)).position,
              advanced_alone(topology, from[k], traded[k], 100).position)
        << k;
  }
}

TEST(ChargedReplicas, EachStateHasItsCharges) {
  expect_charges_of_each_state(few_chains());  // springs need engines
  expect_charges_of_each_state(test::free_chains(topology::ShortRangeForm::ashbaugh_hatch, 13, 4));
  expect_charges_of_each_state(test::free_chains(topology::ShortRangeForm::wang_frenkel, 13, 4));
}

TEST(ChargedReplicas, AllFormsHaveTheSameBits) {
  using topology::ShortRangeForm;
  const std::vector<system::ThermodynamicState> states{
      charged(290, 1.7, 0.5), charged(300, 1.7, 1.5), charged(320, 1.8, 1.0),
      charged(310, 1.6, 0.2), charged(305, 1.7, 0.7)};
  for (const auto form : {ShortRangeForm::ashbaugh_hatch, ShortRangeForm::wang_frenkel}) {
    for (const auto& [columns, rows] : {std::pair{13, 1}, std::pair{40, 3}, std::pair{150, 1}}) {
      const auto topology = test::free_chains(form, columns, rows);
      const auto starts = make_starts(topology, states);
      ReplicaSetOptions options;
      options.kappa_per_nm = {0.4, 1.1};
      ReplicaSet set(topology, chain_settings(), starts, options);
      EXPECT_TRUE(set.description().starts_with("resident")) << set.description();
      options.form = ReplicaForm::engines;
      ReplicaSet engines(topology, chain_settings(), starts, options);
      for (const int steps : {0, 400}) {
        set.advance(steps);
        engines.advance(steps);
        const auto found = set.energies(), expected = engines.energies();
        for (std::size_t k = 0; k < states.size(); ++k) {
          const auto &a = found[k], &b = expected[k];
          const auto what = fmt::format("{} of {} x {}", k, columns, rows);
          test::expect_same_energies(a.energies, b.energies, what);
          EXPECT_NE(a.energies.electrostatic, 0);
          EXPECT_EQ(a.screened, b.screened);
          EXPECT_EQ(a.quantities, b.quantities);
          test::expect_same_state(set.state(static_cast<int>(k)),
                                  engines.state(static_cast<int>(k)), what);
        }
      }
      EXPECT_EQ(set.steps_by_engine(), 0);
    }
  }
}

TEST(ChargedReplicas, RadiiAreMeansOverSpecies) {
  auto topology = few_chains();
  topology.species = {{"first", 1}, {"others", static_cast<int>(topology.chains.size()) - 1}};
  for (std::size_t c = 1; c < topology.chains.size(); ++c) topology.chains[c].species = 1;
  const auto starts = make_starts(topology, {charged(300, 1.7, 0.5)});
  ReplicaSet set(topology, chain_settings(), starts);
  const auto state = set.state(0);
  std::array<double, 2> sum{};
  for (const auto& chain : topology.chains) {
    std::array<double, 3> centre{};
    double mass = 0, squares = 0;
    for (int i = chain.first; i < chain.first + chain.count; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const auto x = system::position_nm(topology.box, state.position[row]);
      const double m = topology.residues[row].mass_amu;
      mass += m;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        centre[axis] += m * x[axis];
        squares += m * x[axis] * x[axis];
      }
    }
    for (const double c : centre) squares -= c * c / mass;
    sum.at(static_cast<std::size_t>(chain.species)) += std::sqrt(squares / mass);
  }
  const auto found = set.energies().front().quantities;
  ASSERT_GE(found.size(), 2U);
  EXPECT_NEAR(found[0], sum[0], 1e-9);
  EXPECT_NEAR(found[1], sum[1] / topology.species[1].chains, 1e-9);
}

TEST(ChargedReplicas, RefusesChargesOfNeutralSystems) {
  const auto neutral = test::ubiquitin();
  const auto starts = make_starts(neutral, {charged(100, 1.7, 0.5)});
  EXPECT_THROW(ReplicaSet(neutral, chain_settings(), starts), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::replicas
