// A clock by which ranks are as slow as a test says: posed_clock.cpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "comm/communicator.hpp"
#include "dynamics/engine.hpp"

namespace nfold::test {

/// Of this rank, now.
[[nodiscard]] double posed_seconds_of_a_step(const dynamics::Engine& engine);
/// Collective: mean over most, of all ranks' posed seconds.
[[nodiscard]] double posed_balance(const comm::Communicator& world, const dynamics::Engine& engine);
/// Of this rank; nfold_slowed takes SLOWNESS instead. Forgets all times: another engine may stand
/// where one stood.
void pose_slowness(double slowness);

}  // namespace nfold::test
