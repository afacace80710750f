// Computation of a block of steps, replaceable in tests.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "engine/engine.hpp"
#include "system/state.hpp"

namespace nfold::run {

/// Collective. Advances the engine and returns this rank's rows. Throws engine::ExplosionError
/// like the engine.
[[nodiscard]] system::State compute_block(engine::Engine& engine, std::int64_t steps);

}  // namespace nfold::run
