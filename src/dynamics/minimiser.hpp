// Energy minimisation with the forces of the step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

/// Collective. Implements Engine::minimise.
template <class Precision>
MinimiserResult walk_downhill(StepEngine<Precision>& engine, const MinimiserSettings& settings);

}  // namespace nfold::dynamics
