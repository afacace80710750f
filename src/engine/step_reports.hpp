// Reports that all ranks make together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/step_parts.hpp"

namespace nfold::engine {

/// Collective. Returns all rows in order of id on rank 0, an empty state elsewhere.
[[nodiscard]] system::State gather_state(const comm::Communicator& communicator,
                                         const system::State& mine);
/// Collective. Returns all rows in order of id on every rank.
[[nodiscard]] system::State all_gather_state(const comm::Communicator& communicator,
                                             const system::State& mine);

/// Collective. Throws ExplosionError for the step after the current state.
template <class Precision>
[[noreturn]] void report_explosion(const StepParts<Precision>& parts);

}  // namespace nfold::engine
