// Degrees of freedom and temperature, with a bath and without.
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/temperature.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "replicas/replica_set.hpp"
#include "start/initial_state.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::dynamics {
namespace {

const auto* const scope = test::start_kokkos();

constexpr double kelvin = 100;

EngineSettings settings_without_bath(Precision precision = Precision::mixed) {
  auto settings = test::settings_of_go();
  settings.integrator = Integrator::velocity_verlet;
  settings.precision = precision;
  return settings;
}

/// Drawn, and stopped as a run without a bath does.
system::State start_at_rest_of(const topology::Topology& topology, std::uint32_t replica = 0) {
  auto state = start::native_start(topology);
  start::draw_velocities(topology, kelvin, 5, replica, state);
  stop_centre_of_mass(topology, state);
  return state;
}

double kinetic_of(const topology::Topology& topology, const system::State& state) {
  double sum = 0;
  for (std::size_t i = 0; i < state.velocity.size(); ++i) {
    for (const double v : state.velocity[i]) sum += 0.5 * topology.residues[i].mass_amu * v * v;
  }
  return sum;
}

TEST(Temperature, CountsThreeDegreesLessWhereTheCentreOfMassStays) {
  const auto topology = test::hairpin();
  const auto at_rest = start_at_rest_of(topology);
  auto drifts = start::native_start(topology);
  start::draw_velocities(topology, kelvin, 5, 0, drifts);
  const auto bath = test::settings_of_go();
  auto no_friction = bath;
  no_friction.friction_per_ps = 0;
  EXPECT_EQ(degrees_of_freedom(topology, bath, at_rest), 3 * 17);
  EXPECT_EQ(degrees_of_freedom(topology, settings_without_bath(), at_rest), 3 * 17 - 3);
  EXPECT_EQ(degrees_of_freedom(topology, no_friction, at_rest), 3 * 17 - 3);
  EXPECT_EQ(degrees_of_freedom(topology, settings_without_bath(), drifts), 3 * 17);
  EXPECT_TRUE(centre_of_mass_is_at_rest(topology, at_rest));
  EXPECT_FALSE(centre_of_mass_is_at_rest(topology, drifts));
  EXPECT_EQ(temperature_of(1, 0), 0);
}

/// Drawn at 100 K and stopped, four residues of unlike masses show 100 K on average; by 3 N it
/// would be 75.
TEST(Temperature, OfDrawnVelocitiesIsThatOfTheBath) {
  auto topology = test::ubiquitin(1, topology::ContactPotential::lennard_jones_12_10, {"A:1-4"});
  topology.residues.items()[1].mass_amu = 20;
  constexpr int draws = 20'000;
  double sum = 0;
  for (std::uint32_t replica = 0; replica < draws; ++replica) {
    const auto state = start_at_rest_of(topology, replica);
    sum += temperature_of(kinetic_of(topology, state),
                          degrees_of_freedom(topology, settings_without_bath(), state));
  }
  // Chi-square of nine degrees: each T scatters by sqrt(2 / 9).
  EXPECT_NEAR(sum / draws / kelvin, 1, 4 * std::sqrt(2.0 / 9 / draws));
}

TEST(Temperature, OfARunWithoutABathIsByWhatCanMove) {
  const auto topology = test::hairpin();
  for (const auto precision : {Precision::mixed, Precision::full}) {
    const auto settings = settings_without_bath(precision);
    auto engine = test::engine_alone(topology, settings, start_at_rest_of(topology));
    engine.advance(5000);
    const auto energies = engine.energies();
    EXPECT_DOUBLE_EQ(energies.temperature_kelvin, temperature_of(energies.kinetic, 3 * 17 - 3));
    // It stays at rest, and a resume says the same of it.
    EXPECT_TRUE(centre_of_mass_is_at_rest(topology, engine.owned_state()));
    auto resumed = test::engine_alone(topology, settings, engine.owned_state());
    EXPECT_EQ(resumed.energies().temperature_kelvin, energies.temperature_kelvin);
  }
}

/// Equipartition: m v v over all residues and axes is k T for each degree of freedom. On-step
/// velocities of so long a step would give a few per cent less.
TEST(Pressure, HasTheKineticEnergyOfTheTemperature) {
  const auto topology = test::hairpin();
  for (const auto precision : {Precision::mixed, Precision::full}) {
    auto settings = test::settings_of_go();
    settings.precision = precision;
    settings.time_step_ps = 0.02;
    auto start = start::native_start(topology);
    start::draw_velocities(topology, kelvin, 5, 0, start);
    auto engine = test::engine_alone(topology, settings, start);
    constexpr int degrees_of_freedom = 51;  // 17 residues
    engine.advance(200);
    for (const std::int64_t steps : {0, 1}) {
      engine.advance(steps);
      const auto kinetic = engine.pressure().kinetic;
      const double trace = kinetic[0][0] + kinetic[1][1] + kinetic[2][2];
      EXPECT_NEAR(temperature_of(trace / 2, degrees_of_freedom),
                  engine.energies().temperature_kelvin, 1e-6);
      EXPECT_GT(std::abs(trace / 2 - engine.energies().kinetic), 1e-3);
    }
  }
}

TEST(Temperature, IsTheSameInBothFormsOfReplicas) {
  const auto topology = test::hairpin();
  auto settings = test::settings_of_go();
  settings.friction_per_ps = 0;
  const std::vector<replicas::ReplicaStart> starts{{3, {kelvin}, start_at_rest_of(topology, 3)}};
  replicas::ReplicaSet resident(topology, settings, starts, {replicas::ReplicaForm::resident});
  replicas::ReplicaSet engines(topology, settings, starts, {replicas::ReplicaForm::engines});
  for (auto* set : {&resident, &engines}) set->advance(200);
  const double of_engine = engines.energies()[0].energies.temperature_kelvin;
  EXPECT_EQ(resident.energies()[0].energies.temperature_kelvin, of_engine);
  EXPECT_GT(of_engine, 0);
}

}  // namespace
}  // namespace nfold::dynamics
