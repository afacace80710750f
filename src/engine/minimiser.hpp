// Energy minimisation with the forces of the step.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/step_engine.hpp"

namespace nfold::engine {

/// Collective. Implements Engine::minimise.
template <class Precision>
MinimiserResult minimise_energy(StepEngine<Precision>& engine, const MinimiserSettings& settings);

}  // namespace nfold::engine
