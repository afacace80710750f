// Blocks of steps that the host launches step by step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "engine/step_parts.hpp"

namespace nfold::engine {

/// Collective. Advances to step `target` in blocks. After a block in which a residue moved too far
/// or a force left its range, the state at its start is restored and its steps are repeated. Throws
/// ExplosionError if the range is left in a single step.
template <class Precision>
void advance_by_host(StepParts<Precision>& parts, std::int64_t target);

}  // namespace nfold::engine
