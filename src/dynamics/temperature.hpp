// The one rule of temperature: which degrees of freedom share the kinetic energy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dynamics/engine.hpp"
#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::dynamics {

/// Nothing changes the momentum of the whole: velocity Verlet, or a bath without friction. All
/// forces are between residues.
[[nodiscard]] bool conserves_momentum(const EngineSettings& settings);

/// Of a state with all rows, the same on every rank: the momentum of the whole is far below a
/// thermal one. Rounding of forces lets it wander by less, so that a resume finds the same.
[[nodiscard]] bool centre_of_mass_is_at_rest(const topology::Topology& topology,
                                             const system::State& state);

/// Of a state with all rows: takes the velocity of the centre of mass off each one.
void stop_centre_of_mass(const topology::Topology& topology, system::State& state);

/// What a bath heats: 3 for each residue, those of the centre of mass among them.
[[nodiscard]] constexpr std::int64_t degrees_of_freedom_in_bath(std::int64_t residues) {
  return 3 * residues;
}

/// Of a run that begins or goes on at this state (all rows): as in a bath; 3 fewer where the centre
/// of mass is at rest and remains so.
[[nodiscard]] std::int64_t degrees_of_freedom(const topology::Topology& topology,
                                              const EngineSettings& settings,
                                              const system::State& state);

/// 2 K / (f k); 0 without any degree of freedom.
[[nodiscard]] double temperature_of(double kinetic_kj_mol, std::int64_t degrees_of_freedom);

}  // namespace nfold::dynamics
