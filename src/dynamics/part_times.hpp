// Times of the single parts of a step, for the benchmark.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

/// Collective. Implements Engine::part_times: repeats each part from the current state, which stays
/// unchanged.
template <class Precision>
[[nodiscard]] std::vector<PartTime> times_of_parts(StepEngine<Precision>& engine);

}  // namespace nfold::dynamics
