// States of an ensemble: the first ladder, and its tuning during equilibration.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "input/settings.hpp"
#include "model/topology/topology.hpp"
#include "session/ensemble/state_exchange.hpp"
#include "session/setup/species_setup.hpp"
#include "system/thermodynamic_state.hpp"

namespace nfold::ensemble {

/// Collective. Returns the first ladder (states), bitwise identical on all ranks. Throws
/// InputError.
[[nodiscard]] std::vector<system::ThermodynamicState> first_ladder(
    const comm::Communicator& communicator, const input::EnsembleSettings& settings,
    const topology::ResidueModel* model);
/// Returns the first ladder of one process, for estimates.
[[nodiscard]] std::vector<system::ThermodynamicState> first_ladder(
    const input::EnsembleSettings& settings, const topology::ResidueModel* model);
/// Returns the model of a system whose charges or other pair terms depend on the state, else null.
[[nodiscard]] const topology::ResidueModel* charge_model(const setup::SystemSetup& system);

/// Returns "24 temperatures from 112 to 146 K", "12 contact strengths from 1 to 0.8 at 125 K" or
/// "120 K".
[[nodiscard]] std::string describe(const std::vector<system::ThermodynamicState>& ladder);

/// True if the ladder changes with the exchange at this step: the last one up to a quarter, a half
/// or all of the tuning steps. Depends on the settings only.
[[nodiscard]] bool is_tuning_step(const input::EnsembleSettings& settings, std::int64_t step);

/// Collective. Changes the ladder to the one that rank 0 computes from acceptances, and returns a
/// line for the log.
[[nodiscard]] std::string tune_ladder(const comm::Communicator& communicator, std::int64_t step,
                                      const topology::ResidueModel* model,
                                      ensemble::StateExchange& exchange);

}  // namespace nfold::ensemble
