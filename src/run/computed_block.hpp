// One computation of a block of steps, as it is compared with another.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dynamics/engine.hpp"
#include "system/state.hpp"

namespace nfold::run {

/// Collective: advances, and gives this rank's rows. dynamics::ExplosionError as the engine throws.
[[nodiscard]] system::State computed_block(dynamics::Engine& engine, std::int64_t steps);

}  // namespace nfold::run
