// The simplest first states: native, unfolded coils, Maxwell velocities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "system/state.hpp"
#include "topology/topology.hpp"

namespace nfold::start {

/// Coordinates of the native structure, at rest, on the grid of mixed precision (2^-20 nm).
[[nodiscard]] system::State native_start(const topology::Topology& topology);
/// A self-avoiding coil per chain from the seed, at rest, on the same grid; the chains' bounding
/// boxes are 2 nm apart. What holds within a chain, and what is thrown: see chain_growth.hpp.
[[nodiscard]] system::State unfolded_start(const topology::Topology& topology, std::uint64_t seed);
/// Maxwell velocities at the temperature, addressed by (seed, replica, residue): the same for any
/// subset of rows. The momentum of the whole is drawn as well: a Langevin bath would bring it
/// back. Where none does, see stop_centre_of_mass(). Throws std::invalid_argument
/// for a temperature that is negative or not finite.
void draw_velocities(const topology::Topology& topology, double temperature_kelvin,
                     std::uint64_t seed, std::uint32_t replica, system::State& state);

}  // namespace nfold::start
