// Times of the single parts of a step, for the benchmark.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "engine/step_parts.hpp"

namespace nfold::engine {

/// Collective. Implements Engine::part_times: repeats each part from the current state, which stays
/// unchanged.
template <class Precision>
[[nodiscard]] std::vector<PartTime> measure_parts(StepParts<Precision>& parts);

}  // namespace nfold::engine
