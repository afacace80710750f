// Busy time of a rank, measured for load balancing and for comparison with estimates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/engine.hpp"

namespace nfold::run {

/// Returns this rank's busy time since the engine was created.
[[nodiscard]] engine::BusyTime busy_time(const engine::Engine& engine);

}  // namespace nfold::run
