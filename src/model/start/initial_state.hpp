// Initial states without placement: native, unfolded coils, Maxwell velocities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "model/topology/topology.hpp"
#include "system/state.hpp"

namespace nfold::start {

/// Returns the native structure at rest, on the grid of mixed precision (2^-20 nm).
[[nodiscard]] system::State native_start(const topology::Topology& topology);
/// Returns a self-avoiding coil per chain from the seed, at rest, on the same grid, with 2 nm
/// between the bounding boxes of chains. For the geometry and the exceptions see chain_growth.hpp.
[[nodiscard]] system::State unfolded_start(const topology::Topology& topology, std::uint64_t seed);
/// Draws Maxwell velocities at the temperature, addressed by (seed, replica, residue): the same for
/// any subset of rows. The total momentum is drawn as well, as a Langevin thermostat would restore
/// it; without one see stop_centre_of_mass(). Throws std::invalid_argument for a temperature that
/// is negative or not finite.
void draw_velocities(const topology::Topology& topology, double temperature_kelvin,
                     std::uint64_t seed, std::uint32_t replica, system::State& state);

}  // namespace nfold::start
