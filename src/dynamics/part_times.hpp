// What the parts of a step take, one by one: for the benchmark.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

/// Collective, as Engine::part_times. repeats of each part, from the current state, which stays.
template <class Precision>
[[nodiscard]] std::vector<PartTime> times_of_parts(StepEngine<Precision>& engine);

}  // namespace nfold::dynamics
