// Degrees of freedom and temperature, with and without a Langevin thermostat.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/temperature.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "model/start/initial_state.hpp"
#include "replicas/replica_set.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::engine {
namespace {

const auto* const scope = test::start_kokkos();

constexpr double kelvin = 100;

EngineSettings nve_settings(Precision precision = Precision::mixed) {
  auto settings = test::settings_of_go();
  settings.integrator = Integrator::velocity_verlet;
  settings.precision = precision;
  return settings;
}

/// State with drawn velocities and its centre of mass at rest, as a run without thermostat starts.
system::State start_at_rest(const topology::Topology& topology, std::uint32_t replica = 0) {
  auto state = start::native_start(topology);
  start::draw_velocities(topology, kelvin, 5, replica, state);
  stop_centre_of_mass(topology, state);
  return state;
}

double kinetic_energy(const topology::Topology& topology, const system::State& state) {
  double sum = 0;
  for (std::size_t i = 0; i < state.velocity.size(); ++i) {
    for (const double v : state.velocity[i]) sum += 0.5 * topology.residues[i].mass_amu * v * v;
  }
  return sum;
}

TEST(Temperature, ExcludesCentreOfMassAtRest) {
  const auto topology = test::hairpin();
  const auto at_rest = start_at_rest(topology);
  auto drifts = start::native_start(topology);
  start::draw_velocities(topology, kelvin, 5, 0, drifts);
  const auto langevin = test::settings_of_go();
  auto no_friction = langevin;
  no_friction.friction_per_ps = 0;
  EXPECT_EQ(degrees_of_freedom(topology, langevin, at_rest), 3 * 17);
  EXPECT_EQ(degrees_of_freedom(topology, nve_settings(), at_rest), 3 * 17 - 3);
  EXPECT_EQ(degrees_of_freedom(topology, no_friction, at_rest), 3 * 17 - 3);
  EXPECT_EQ(degrees_of_freedom(topology, nve_settings(), drifts), 3 * 17);
  EXPECT_TRUE(is_centre_of_mass_at_rest(topology, at_rest));
  EXPECT_FALSE(is_centre_of_mass_at_rest(topology, drifts));
  EXPECT_EQ(to_temperature_kelvin(1, 0), 0);
}

/// Four residues of unlike masses, drawn at 100 K with the centre of mass at rest, have 100 K on
/// average. With 3 N degrees of freedom it would be 75 K.
TEST(Temperature, DrawnVelocitiesHaveTargetTemperature) {
  auto topology = test::ubiquitin(1, system::ContactPotential::lennard_jones_12_10, {"A:1-4"});
  topology.residues.items()[1].mass_amu = 20;
  constexpr int draws = 20'000;
  double sum = 0;
  for (std::uint32_t replica = 0; replica < draws; ++replica) {
    const auto state = start_at_rest(topology, replica);
    sum += to_temperature_kelvin(kinetic_energy(topology, state),
                                 degrees_of_freedom(topology, nve_settings(), state));
  }
  // Chi-square of nine degrees: each temperature scatters by sqrt(2 / 9).
  EXPECT_NEAR(sum / draws / kelvin, 1, 4 * std::sqrt(2.0 / 9 / draws));
}

TEST(Temperature, NveRunUsesItsDegreesOfFreedom) {
  const auto topology = test::hairpin();
  for (const auto precision : {Precision::mixed, Precision::full}) {
    const auto settings = nve_settings(precision);
    auto engine = test::engine_alone(topology, settings, start_at_rest(topology));
    engine.advance(5000);
    const auto energies = engine.energies();
    EXPECT_DOUBLE_EQ(energies.temperature_kelvin,
                     to_temperature_kelvin(energies.kinetic, 3 * 17 - 3));
    // The centre of mass stays at rest, also after a resume.
    EXPECT_TRUE(is_centre_of_mass_at_rest(topology, engine.owned_state()));
    auto resumed = test::engine_alone(topology, settings, engine.owned_state());
    EXPECT_EQ(resumed.energies().temperature_kelvin, energies.temperature_kelvin);
  }
}

/// Equipartition: the sum of m v v over all residues and axes is k T per degree of freedom. On-step
/// velocities would give a few per cent less with this long step.
TEST(Pressure, KineticPartMatchesTemperature) {
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
      EXPECT_NEAR(to_temperature_kelvin(trace / 2, degrees_of_freedom),
                  engine.energies().temperature_kelvin, 1e-6);
      EXPECT_GT(std::abs(trace / 2 - engine.energies().kinetic), 1e-3);
    }
  }
}

TEST(Temperature, AgreesInBothFormsOfReplicas) {
  const auto topology = test::hairpin();
  auto settings = test::settings_of_go();
  settings.friction_per_ps = 0;
  const std::vector<replicas::ReplicaStart> starts{{3, {kelvin}, start_at_rest(topology, 3)}};
  replicas::ReplicaSet resident(topology, settings, starts, {replicas::ReplicaForm::resident});
  replicas::ReplicaSet engines(topology, settings, starts, {replicas::ReplicaForm::engines});
  for (auto* set : {&resident, &engines}) set->advance(200);
  const double engine_kelvin = engines.energies()[0].energies.temperature_kelvin;
  EXPECT_EQ(resident.energies()[0].energies.temperature_kelvin, engine_kelvin);
  EXPECT_GT(engine_kelvin, 0);
}

}  // namespace
}  // namespace nfold::engine
