// Energy minimisation with the forces of the step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/step_parts.hpp"

namespace nfold::engine {

/// Collective. Implements Engine::minimise.
template <class Precision>
MinimiserResult minimise_energy(StepParts<Precision>& parts, const MinimiserSettings& settings);

}  // namespace nfold::engine
