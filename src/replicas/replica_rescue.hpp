// Rescue of a replica's rare exploding step by smaller steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "replicas/replica_set_resident.hpp"

namespace nfold::replicas {

/// Three residues in a line are a pole of the dihedral's force: one of 10^8 to 10^10 steps meets
/// it, and must not end thousands of replicas. Such a step is replaced by 16 smaller ones, with
/// their own noise, from the last good state; up to 8 times, each with other noise. The pole may
/// leave residues so fast that a step soon after explodes, so the next 100 are tried. If no attempt
/// succeeds, the step is rejected like a move of hybrid Monte Carlo: positions stay and velocities
/// are reversed, which preserves the ensemble (Duane et al., Phys. Lett. B 195, 216 (1987)) except
/// within some 10^-4 nm of the pole. The rescued steps depend only on the bits of the trajectory. A
/// time step that is too long would need rescues repeatedly: a second rescue within
/// `fewest_steps_between_rescues` is an error.
inline constexpr int small_steps_per_step = 16, rescue_attempts = 8, steps_ahead = 100;
inline constexpr std::int64_t fewest_steps_between_rescues = 1000;

/// Advances a replica; last_rescue: step of its last rescue, or -1. Throws ExplosionError that
/// names the replica.
void advance_with_rescues(EngineAlone& engine, std::int64_t steps, std::int64_t& last_rescue,
                          std::int64_t& rescues);

}  // namespace nfold::replicas
