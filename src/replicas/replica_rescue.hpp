// A replica's rare step that leaves the range of forces, made of smaller ones.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "replicas/replica_set_resident.hpp"

namespace nfold::replicas {

/// Three residues in a line are a pole of the dihedral's force: among 10^8 to 10^10 steps one meets
/// it, and that must not end thousands of replicas. Such a step is made of 16 smaller ones, with
/// noise of their own, from the last good state; up to 8 times, each with other noise. The pole may
/// leave residues so fast that a step soon after explodes, so the next 100 are tried out. Where no
/// attempt leads on, the step is turned down as a move of hybrid Monte Carlo is: residues
/// stay where they are and velocities are reversed, which leaves the ensemble as it is (Duane et
/// al., Phys. Lett. B 195, 216 (1987)) but for the pole's surroundings of some 10^-4 nm. Which
/// steps that concerns depends on nothing but the bits. A time step that is too long would need it
/// again and again: a second rescue within `fewest_steps_between_rescues` is refused.
inline constexpr int steps_for_one = 16, rescue_attempts = 8, steps_ahead = 100;
inline constexpr std::int64_t fewest_steps_between_rescues = 1000;

/// Advances a replica; last_rescue: the step of its last rescue, or -1. Throws ExplosionError that
/// names the replica.
void advance_with_rescues(EngineAlone& engine, std::int64_t steps, std::int64_t& last_rescue,
                          std::int64_t& rescues);

}  // namespace nfold::replicas
