// Constants of a step from settings, box, mass and temperature; shared by all engines.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>

#include "engine/engine.hpp"
#include "kernels/loops/langevin_step.hpp"
#include "kernels/loops/row_kicks.hpp"
#include "system/box.hpp"
#include "system/units.hpp"

namespace nfold::engine {

[[nodiscard]] inline kernels::StepConstants step_constants(const system::Box& box,
                                                           const EngineSettings& settings) {
  kernels::StepConstants constants{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double counts = box.counts_per_nm(axis);
    constants.half_drift[axis] = 0.5 * settings.time_step_ps * counts;
    constants.half_drift_limit[axis] = kernels::half_drift_limit_nm * counts;
  }
  const bool langevin = settings.integrator == Integrator::langevin_baoab;
  constants.velocity_decay =
      langevin ? std::exp(-settings.friction_per_ps * settings.time_step_ps) : 1;
  constants.seed = settings.seed;
  constants.replica = settings.replica;
  return constants;
}

/// force_quantum in [kJ/mol/nm].
[[nodiscard]] inline kernels::Kick kick_of(double mass_amu, double kelvin, double time_step_ps,
                                           double velocity_decay, double force_quantum) {
  return {0.5 * time_step_ps / mass_amu * force_quantum,
          std::sqrt(1 - velocity_decay * velocity_decay) *
              std::sqrt(system::k_boltzmann * kelvin / mass_amu)};
}

}  // namespace nfold::engine
