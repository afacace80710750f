// Simulated clock by which ranks are as slow as a test sets (posed_clock.cpp).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/communicator.hpp"
#include "engine/engine.hpp"

namespace nfold::test {

/// Simulated seconds of a step on this rank with its present load.
[[nodiscard]] double posed_seconds_of_a_step(const engine::Engine& engine);
/// Mean over maximum of all ranks' simulated step times. Collective.
[[nodiscard]] double posed_balance(const comm::Communicator& world, const engine::Engine& engine);
/// Sets this rank's slowness; nfold_slowed reads SLOWNESS instead. Clears all times, because a new
/// engine may have the address of an earlier one.
void pose_slowness(double slowness);

}  // namespace nfold::test
