// Temperature and its degrees of freedom.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "engine/engine.hpp"
#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::engine {

/// True if total momentum is conserved: velocity Verlet, or a thermostat without friction. All
/// forces are internal.
[[nodiscard]] bool conserves_momentum(const EngineSettings& settings);

/// True if the total momentum of a state with all rows is far below a thermal one; same on every
/// rank. Rounding of forces changes it by less, so that a resume gives the same answer.
[[nodiscard]] bool is_centre_of_mass_at_rest(const topology::Topology& topology,
                                             const system::State& state);

/// Removes the centre-of-mass velocity from a state with all rows.
void stop_centre_of_mass(const topology::Topology& topology, system::State& state);

/// Degrees of freedom under a thermostat: 3 for each residue, including the centre of mass.
[[nodiscard]] constexpr std::int64_t thermostat_degrees_of_freedom(std::int64_t residues) {
  return 3 * residues;
}

/// Degrees of freedom of a run that starts or resumes at this state (all rows): 3 per residue; 3
/// fewer if the centre of mass is at rest and stays so.
[[nodiscard]] std::int64_t degrees_of_freedom(const topology::Topology& topology,
                                              const EngineSettings& settings,
                                              const system::State& state);

/// Returns 2 K / (f k); 0 without any degree of freedom.
[[nodiscard]] double to_temperature_kelvin(double kinetic_kj_mol, std::int64_t degrees_of_freedom);

}  // namespace nfold::engine
