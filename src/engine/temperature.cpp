// Total momentum, degrees of freedom, temperature.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/temperature.hpp"

#include <array>
#include <cstddef>

#include "system/units.hpp"

namespace nfold::engine {
namespace {

struct Motion {
  std::array<double, 3> momentum{};  // [amu nm/ps]
  double mass_amu = 0, kinetic_kj_mol = 0;
};

Motion motion_of(const topology::Topology& topology, const system::State& state) {
  Motion motion;
  for (std::size_t row = 0; row < state.velocity.size(); ++row) {
    const double mass = topology.residues[static_cast<std::size_t>(state.id[row])].mass_amu;
    motion.mass_amu += mass;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double v = state.velocity[row][axis];
      motion.momentum[axis] += mass * v;
      motion.kinetic_kj_mol += 0.5 * mass * v * v;
    }
  }
  return motion;
}

}  // namespace

bool conserves_momentum(const EngineSettings& settings) {
  return settings.integrator == Integrator::velocity_verlet || settings.friction_per_ps == 0;
}

bool is_centre_of_mass_at_rest(const topology::Topology& topology, const system::State& state) {
  const auto motion = motion_of(topology, state);
  double square = 0;
  for (const double p : motion.momentum) square += p * p;
  if (square == 0) return true;
  // A thermal centre-of-mass motion has the mean kinetic energy of one residue.
  constexpr double share_of_one_residue = 0.01;
  const double of_one = motion.kinetic_kj_mol / static_cast<double>(state.velocity.size());
  return square / (2 * motion.mass_amu) < share_of_one_residue * of_one;
}

void stop_centre_of_mass(const topology::Topology& topology, system::State& state) {
  const auto motion = motion_of(topology, state);
  if (motion.mass_amu == 0) return;
  for (auto& velocity : state.velocity) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      velocity[axis] -= motion.momentum[axis] / motion.mass_amu;
    }
  }
}

std::int64_t degrees_of_freedom(const topology::Topology& topology, const EngineSettings& settings,
                                const system::State& state) {
  const auto all = thermostat_degrees_of_freedom(topology.residue_count());
  const bool rests = conserves_momentum(settings) && is_centre_of_mass_at_rest(topology, state);
  return rests ? all - 3 : all;
}

double to_temperature_kelvin(double kinetic_kj_mol, std::int64_t degrees_of_freedom) {
  if (degrees_of_freedom == 0) return 0;
  return 2 * kinetic_kj_mol / (static_cast<double>(degrees_of_freedom) * system::k_boltzmann);
}

}  // namespace nfold::engine
