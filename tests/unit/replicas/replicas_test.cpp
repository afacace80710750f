// Replica sets in every form and shape against engines, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/start/initial_state.hpp"
#include "replicas/replica_set.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/same_bits.hpp"
#include "support/systems.hpp"

namespace nfold::replicas {
namespace {

const auto* const scope = test::start_kokkos();

using test::expect_same_energies;
using test::expect_same_state;
using test::settings_of_go;

/// Native and unfolded starts with different temperatures and replica numbers.
std::vector<ReplicaStart> make_starts(const topology::Topology& topology, int replicas,
                                      std::int64_t step = 0) {
  std::vector<ReplicaStart> starts;
  for (int k = 0; k < replicas; ++k) {
    const auto number = static_cast<std::uint32_t>(7 + 90'000 * k);
    auto state = k % 3 == 2 ? start::unfolded_start(topology, 5 + static_cast<std::uint64_t>(k))
                            : test::shaken_native(topology, 0.01, static_cast<std::uint32_t>(k));
    start::draw_velocities(topology, 100 + k, 99, number, state);
    state.step = step;
    starts.push_back({number, {100.0 + k}, state});
  }
  return starts;
}

engine::Engine make_engine(const topology::Topology& topology, engine::EngineSettings settings,
                           const ReplicaStart& start) {
  settings.replica = start.number;
  settings.temperature_kelvin = start.thermodynamic.temperature_kelvin;
  settings.contact_strength = start.thermodynamic.contact_strength;
  return test::engine_alone(topology, settings, start.state);
}

void expect_engines_bits(const topology::Topology& topology, const engine::EngineSettings& settings,
                         const std::vector<ReplicaStart>& starts, std::int64_t steps,
                         int group_size = 0) {
  ReplicaSet set(topology, settings, starts, {ReplicaForm::resident, group_size});
  set.advance(steps / 3);
  set.advance(steps - steps / 3);
  const auto energies = set.energies();
  EXPECT_EQ(set.steps_by_engine(), 0) << set.description();
  for (std::size_t k = 0; k < starts.size(); ++k) {
    auto engine = make_engine(topology, settings, starts[k]);
    engine.advance(steps);
    const std::string what = "replica " + std::to_string(k) + " of " + set.description();
    expect_same_state(set.state(static_cast<int>(k)), engine.owned_state(), what);
    expect_same_energies(energies[k].energies, engine.energies(), what);
  }
}

/// Compares states, energies and observables of all replicas.
void expect_same_sets(ReplicaSet& a, ReplicaSet& b) {
  const auto energies_a = a.energies(), energies_b = b.energies();
  ASSERT_EQ(energies_a.size(), energies_b.size());
  for (std::size_t k = 0; k < energies_a.size(); ++k) {
    const auto what = "replica " + std::to_string(k) + " of " + a.description();
    expect_same_state(a.state(static_cast<int>(k)), b.state(static_cast<int>(k)), what);
    expect_same_energies(energies_a[k].energies, energies_b[k].energies, what);
    EXPECT_EQ(energies_a[k].formed_contacts, energies_b[k].formed_contacts) << what;
    EXPECT_EQ(energies_a[k].umbrella_variable_nm, energies_b[k].umbrella_variable_nm) << what;
    EXPECT_EQ(energies_a[k].quantities, energies_b[k].quantities) << what;
    EXPECT_GT(energies_a[k].quantities.at(0), 0.3) << what;
  }
}

std::vector<int> group_sizes() {
  if (build_processor() == ReplicaProcessor::cpu) return {0};
  return {1, 2, 4, 8, 16, 32};
}

TEST(Replicas, EveryShapeMatchesEngines) {
  const auto topology = test::ubiquitin();
  const auto starts = make_starts(topology, 35);
  for (const int size : group_sizes()) {
    expect_engines_bits(topology, settings_of_go(), starts, 1200, size);
  }
}

TEST(Replicas, GaussianContactsMatchEngines) {
  const auto topology = test::ubiquitin(1, system::ContactPotential::gaussian);
  expect_engines_bits(topology, settings_of_go(), make_starts(topology, 5), 600);
}

TEST(Replicas, SeveralChainsAndLaterStepsMatchEngines) {
  const auto topology = test::ubiquitin(3);
  expect_engines_bits(topology, settings_of_go(), make_starts(topology, 4, (1LL << 40) + 5), 400);
}

/// Dissociated chains drift away for ever.
TEST(Replicas, DistantChainsMatchEngines) {
  const auto topology = test::ubiquitin(3);
  for (const double apart_nm : {25.0, 300.0}) {
    auto starts = make_starts(topology, 6);
    for (const std::size_t k : {1U, 4U}) {
      for (std::size_t i = 0; i < topology.residues.size(); ++i) {
        if (topology.residues[i].chain != 2) continue;
        starts[k].state.position[i][1] += topology.box.to_coarse_counts(1, apart_nm);
      }
    }
    expect_engines_bits(topology, settings_of_go(), starts, 400);
  }
}

TEST(Replicas, ContactStrengthsMatchEngines) {
  for (const auto potential :
       {system::ContactPotential::lennard_jones_12_10, system::ContactPotential::gaussian}) {
    const auto topology = test::ubiquitin(1, potential);
    auto starts = make_starts(topology, 35);
    for (std::size_t k = 0; k < starts.size(); ++k) {
      starts[k].thermodynamic.contact_strength = 1 - 0.02 * static_cast<double>(k);
    }
    for (const int size : group_sizes()) {
      expect_engines_bits(topology, settings_of_go(), starts, 300, size);
    }
  }
}

// An umbrella adds one restraint. Compares both forms before and after an exchange.
TEST(Replicas, UmbrellasMatchRestraints) {
  const auto topology = test::ubiquitin();
  const auto pair = bias::distance_between(3, 70);
  auto starts = make_starts(topology, 20);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    starts[k].thermodynamic.umbrella_centre_nm = 1 + 0.1 * static_cast<double>(k);
    starts[k].thermodynamic.umbrella_k_kj_mol_nm2 = k == 5 ? 0 : 150;
  }
  for (const int size : group_sizes()) {
    ReplicaSet resident(topology, settings_of_go(), starts,
                        {.form = ReplicaForm::resident, .group_size = size, .umbrella = pair});
    ReplicaSet engines(topology, settings_of_go(), starts,
                       {.form = ReplicaForm::engines, .umbrella = pair});
    for (auto* set : {&resident, &engines}) set->advance(100);
    for (int turn = 0; turn < 2; ++turn) {
      expect_same_sets(resident, engines);
      EXPECT_EQ(resident.steps_by_engine(), 0);
      const auto found = resident.energies();
      for (std::size_t k = 0; k < starts.size(); ++k) {
        const auto& state = starts[k].thermodynamic;
        const double off = found[k].umbrella_variable_nm - state.umbrella_centre_nm;
        EXPECT_NEAR(found[k].energies.restraint, 0.5 * state.umbrella_k_kj_mol_nm2 * off * off,
                    1e-6)
            << k;
      }
      std::vector<system::ThermodynamicState> states;
      states.reserve(starts.size());
      std::reverse(starts.begin(), starts.end());
      for (const auto& start : starts) states.push_back(start.thermodynamic);
      for (auto* set : {&resident, &engines}) {
        set->set_states(states);
        if (turn == 0) set->advance(100);
      }
    }
  }
  // Compares with an engine that has the restraint in its topology.
  auto bent = topology;
  bent.restraints.push_back({3, 70, starts[9].thermodynamic.umbrella_centre_nm, 150});
  ReplicaSet set(topology, settings_of_go(), starts,
                 {.form = ReplicaForm::resident, .umbrella = pair});
  set.advance(150);
  auto engine = make_engine(bent, settings_of_go(), starts[9]);
  engine.advance(150);
  expect_same_state(set.state(9), engine.owned_state(), "a restraint by hand");
  EXPECT_THROW(ReplicaSet(topology, settings_of_go(), starts), std::invalid_argument);
}

TEST(Replicas, StrongUmbrellasFallBackToEngines) {
  const auto topology = test::ubiquitin();
  auto settings = settings_of_go();
  settings.time_step_ps = 1e-5;
  auto starts = make_starts(topology, 2);
  starts[1].thermodynamic.umbrella_centre_nm = 20;
  starts[1].thermodynamic.umbrella_k_kj_mol_nm2 = 900;  // 16,000 kJ/mol/nm, but not by component
  const ReplicaSetOptions options{.form = ReplicaForm::resident,
                                  .umbrella = bias::distance_between(0, 75)};
  ReplicaSet set(topology, settings, starts, options);
  set.advance(10);
  EXPECT_GT(set.steps_by_engine(), 0);
}

TEST(Replicas, StatesConcatenateAllReplicas) {
  const auto topology = test::hairpin();
  const auto residues = topology.residues.size();
  for (const auto form : {ReplicaForm::resident, ReplicaForm::engines}) {
    ReplicaSet set(topology, settings_of_go(), make_starts(topology, 37, 8), {form});
    set.advance(20);
    const auto all = set.states();
    EXPECT_EQ(all.step, 28);
    ASSERT_EQ(all.id.size(), 37 * residues);
    for (std::size_t k = 0; k < 37; ++k) {
      const auto one = set.state(static_cast<int>(k));
      for (std::size_t i = 0; i < residues; ++i) {
        const auto row = k * residues + i;
        EXPECT_EQ(all.id[row], static_cast<int>(row));
        EXPECT_EQ(all.position[row], one.position[i]);
        EXPECT_EQ(all.velocity[row], one.velocity[i]);
      }
    }
  }
}

TEST(Replicas, StrongerContactsNeedAnOption) {
  const auto topology = test::ubiquitin();
  auto starts = make_starts(topology, 2);
  EXPECT_EQ(resident_obstacle(topology, settings_of_go(), 1.2), "");
  EXPECT_NE(resident_obstacle(topology, settings_of_go(), 1000), "");
  starts[1].thermodynamic.contact_strength = 1.2;
  EXPECT_THROW(ReplicaSet(topology, settings_of_go(), starts), std::invalid_argument);
  ReplicaSet set(topology, settings_of_go(), starts, {ReplicaForm::resident, 0, 1.2});
  set.advance(100);
  auto engine = make_engine(topology, settings_of_go(), starts[1]);
  engine.advance(100);
  expect_same_state(set.state(1), engine.owned_state(), "stronger contacts");
  EXPECT_THROW(set.set_states({{100}, {100, 1.3}}), std::invalid_argument);
}

TEST(Replicas, SkinChangesNoBit) {
  const auto topology = test::ubiquitin();
  auto settings = settings_of_go();
  const auto starts = make_starts(topology, 3);
  settings.skin_nm = 0.02;
  ReplicaSet thin(topology, settings, starts, {ReplicaForm::resident});
  settings.skin_nm = 0.6;
  ReplicaSet thick(topology, settings, starts, {ReplicaForm::resident});
  thin.advance(500);
  thick.advance(500);
  for (int k = 0; k < 3; ++k) expect_same_state(thin.state(k), thick.state(k), "skins");
}

// Forces of this start exceed a plain sum of 32 bits.
TEST(Replicas, LargeForcesFallBackToEngines) {
  const auto topology = test::ubiquitin();
  auto starts = make_starts(topology, 2);
  // The last bond, stretched by more than half a nanometre along the diagonal.
  auto& position = starts[1].state.position;
  const auto shift = topology.box.to_coarse_counts(0, 0.5);
  for (std::size_t axis = 0; axis < 3; ++axis) position[75][axis] = position[74][axis] + shift;
  auto settings = settings_of_go();
  settings.time_step_ps = 1e-4;
  ReplicaSet set(topology, settings, starts, {ReplicaForm::resident});
  set.advance(20);
  EXPECT_GT(set.steps_by_engine(), 0);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    auto engine = make_engine(topology, settings, starts[k]);
    engine.advance(20);
    expect_same_state(set.state(static_cast<int>(k)), engine.owned_state(), "large forces");
  }
}

TEST(Replicas, ExplosionNamesTheReplica) {
  const auto topology = test::ubiquitin();
  auto starts = make_starts(topology, 2);
  starts[1].state.velocity[3][0] = 1e6;
  ReplicaSet set(topology, settings_of_go(), starts, {ReplicaForm::resident});
  try {
    set.advance(10);
    FAIL() << "no error";
  } catch (const engine::ExplosionError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("replica 90007: ", 0), 0U) << error.what();
  }
}

// Energies and temperature before the next step depend on the forces of the new states.
TEST(Replicas, FormsAgreeOnNewStrengths) {
  const auto topology = test::ubiquitin();
  const auto starts = make_starts(topology, 3);
  ReplicaSet resident(topology, settings_of_go(), starts, {ReplicaForm::resident});
  ReplicaSet engines(topology, settings_of_go(), starts, {ReplicaForm::engines});
  for (auto* set : {&resident, &engines}) {
    set->advance(50);
    set->set_states({{120, 0.9}, {101, 1}, {100, 0.7}});
  }
  for (const int steps : {0, 50}) {
    for (auto* set : {&resident, &engines}) set->advance(steps);
    expect_same_sets(resident, engines);
  }
}

TEST(Replicas, FormsAgreeOnNewTemperatures) {
  const auto topology = test::ubiquitin();
  const auto starts = make_starts(topology, 3);
  ReplicaSet resident(topology, settings_of_go(), starts, {ReplicaForm::resident});
  ReplicaSet engines(topology, settings_of_go(), starts, {ReplicaForm::engines});
  for (auto* set : {&resident, &engines}) {
    set->advance(50);
    set->set_states({{120}, {101}, {90}});
    set->advance(50);
  }
  expect_same_sets(resident, engines);
}

constexpr double counts_per_nm = 0x1p32;  // in open space

/// Without noise, the next step of this state aligns the last three residues to within the grid,
/// which is a pole of the dihedral force.
ReplicaStart start_before_a_pole(const topology::Topology& topology,
                                 const engine::EngineSettings& settings) {
  ReplicaStart start{3, {1e-6}, test::shaken_native(topology, 0.001, 1)};
  start.state.step = 7000;
  auto& x = start.state.position;
  auto& v = start.state.velocity;
  const std::size_t last = x.size() - 1;
  constexpr double aside_nm = 0.002;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    x[last][axis] = 2 * x[last - 1][axis] - x[last - 2][axis];
  }
  const auto in_line = x[last];
  x[last][0] += static_cast<std::int64_t>(aside_nm * counts_per_nm);
  const auto force = make_engine(topology, settings, start).owned_forces();
  const double dt = settings.time_step_ps;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // All others stand still for this step.
      const double move =
          i == last ? static_cast<double>(in_line[axis] - x[last][axis]) / counts_per_nm : 0;
      const double mass = topology.residues[i].mass_amu;
      v[i][axis] = move / dt - 0.5 * dt * force[i][axis] / mass;
    }
  }
  return start;
}

TEST(Replicas, PoleIsPassedBySmallerSteps) {
  const auto topology = test::ubiquitin();
  auto settings = settings_of_go();
  settings.friction_per_ps = 1e-9;
  const auto start = start_before_a_pole(topology, settings);
  auto plain = make_engine(topology, settings, start);
  EXPECT_THROW(plain.advance(2), engine::ExplosionError);
  EXPECT_EQ(plain.step(), 7000);
  auto neighbour = start;
  neighbour.number = 4;
  for (auto& v : neighbour.state.velocity) v = {0, 0, 0};
  ReplicaSet resident(topology, settings, {neighbour, start}, {ReplicaForm::resident});
  ReplicaSet engines(topology, settings, {neighbour, start}, {ReplicaForm::engines});
  for (auto* set : {&resident, &engines}) {
    set->advance(20);
    EXPECT_EQ(set->rescues(), 1) << set->description();
    EXPECT_EQ(set->step(), 7020);
  }
  for (int k = 0; k < 2; ++k) {
    expect_same_state(resident.state(k), engines.state(k), "replica " + std::to_string(k));
  }
  // Smaller steps conserve the energy.
  const auto before = test::engine_alone(topology, settings, start.state).energies();
  const auto after = resident.energies()[1].energies;
  EXPECT_NEAR(after.potential() + after.kinetic, before.potential() + before.kinetic,
              0.02 * before.kinetic);
}

/// Advances by one step and expects reversed velocities in its place.
void expect_reversed_velocities(ReplicaSet& set, const ReplicaStart& start) {
  set.advance(1);
  EXPECT_EQ(set.rescues(), 1) << set.description();
  const auto state = set.state(0);
  EXPECT_EQ(state.step, start.state.step + 1);
  EXPECT_EQ(state.position, start.state.position) << set.description();
  for (std::size_t i = 0; i < state.velocity.size(); ++i) {
    const auto& v = start.state.velocity[i];
    EXPECT_EQ(state.velocity[i], (system::Velocity{-v[0], -v[1], -v[2]})) << i;
  }
}

/// The residue is so fast that each of the smaller steps reaches the pole too.
TEST(Replicas, UnavoidablePoleReversesVelocities) {
  const auto topology = test::ubiquitin();
  auto settings = settings_of_go();
  settings.friction_per_ps = 1e-9;
  settings.time_step_ps = 1e-4;
  const auto start = start_before_a_pole(topology, settings);
  for (const auto form : {ReplicaForm::resident, ReplicaForm::engines}) {
    ReplicaSet set(topology, settings, {start}, {form});
    expect_reversed_velocities(set, start);
    set.advance(20);
    EXPECT_EQ(set.rescues(), 1) << set.description();
  }
}

/// The smaller steps pass the pole; then a residue leaps onto another in one step.
TEST(Replicas, ExplosionReversesVelocities) {
  const auto topology = test::ubiquitin();
  auto settings = settings_of_go();
  settings.friction_per_ps = 1e-9;
  auto start = start_before_a_pole(topology, settings);
  constexpr std::size_t mover = 4, other = 29;
  const auto& x = start.state.position;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double way_nm = static_cast<double>(x[other][axis] - x[mover][axis]) / counts_per_nm;
    start.state.velocity[mover][axis] = way_nm / (2 * settings.time_step_ps);
  }
  for (const auto form : {ReplicaForm::resident, ReplicaForm::engines}) {
    ReplicaSet set(topology, settings, {start}, {form});
    expect_reversed_velocities(set, start);
  }
}

TEST(Replicas, LongTimeStepExplodes) {
  const auto topology = test::ubiquitin();
  auto settings = settings_of_go();
  settings.time_step_ps = 0.13;
  for (const auto form : {ReplicaForm::resident, ReplicaForm::engines}) {
    ReplicaSet set(topology, settings, make_starts(topology, 2), {form});
    EXPECT_THROW(set.advance(5000), engine::ExplosionError) << set.description();
  }
}

TEST(Replicas, ResidentObstacleIsNamed) {
  const auto settings = settings_of_go();
  auto topology = test::ubiquitin();
  EXPECT_EQ(resident_obstacle(topology, settings), "");
  auto full = settings;
  full.precision = engine::Precision::full;
  EXPECT_EQ(resident_obstacle(topology, full), "the precision is double");
  topology.box.length_nm = {20, 20, 20};
  EXPECT_EQ(resident_obstacle(topology, settings), "there is a periodic box");
  EXPECT_EQ(ReplicaSet(topology, settings, make_starts(topology, 1)).description(),
            "an engine each, because there is a periodic box");
}

}  // namespace
}  // namespace nfold::replicas
