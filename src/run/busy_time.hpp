// The clock by which residues are balanced and predictions are compared.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dynamics/engine.hpp"

namespace nfold::run {

/// Of this rank, since the engine was made.
[[nodiscard]] dynamics::BusyTime busy_time(const dynamics::Engine& engine);

}  // namespace nfold::run
