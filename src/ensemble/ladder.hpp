// The states of an ensemble: the first ones, and how they are tuned while it equilibrates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "ensemble/state_exchange.hpp"
#include "replicas/thermodynamic_state.hpp"
#include "setup/species_setup.hpp"
#include "topology/topology.hpp"

namespace nfold::ensemble {

/// Sets what the electrostatics of each state's temperature and salt are. model: null for one
/// without charges, which leaves them 0. InputError where a temperature has none.
void set_charges(const topology::ResidueModel* model,
                 std::vector<replicas::ThermodynamicState>& ladder);

/// (states) the same bits on all ranks. Collective. InputError.
[[nodiscard]] std::vector<replicas::ThermodynamicState> first_ladder(
    const comm::Communicator& communicator, const config::EnsembleSettings& settings,
    const topology::ResidueModel* model);
/// The same of one process alone, for estimates.
[[nodiscard]] std::vector<replicas::ThermodynamicState> first_ladder(
    const config::EnsembleSettings& settings, const topology::ResidueModel* model);
/// The model of a system that has charges, else null.
[[nodiscard]] const topology::ResidueModel* model_of_charges(const setup::SystemSetup& system);

/// "24 temperatures from 112 to 146 K", "12 contact strengths from 1 to 0.8 at 125 K", "120 K".
[[nodiscard]] std::string in_words(const std::vector<replicas::ThermodynamicState>& ladder);

/// Whether the ladder changes with the exchange at this step: the last one up to a quarter, a half
/// or all of the tuning steps. A function of the settings only.
[[nodiscard]] bool is_tuning_step(const config::EnsembleSettings& settings, std::int64_t step);

/// Changes the ladder to what rank 0 computes from acceptances, and says it. Collective.
[[nodiscard]] std::string tune_ladder(const comm::Communicator& communicator, std::int64_t step,
                                      const topology::ResidueModel* model,
                                      ensemble::StateExchange& exchange);

}  // namespace nfold::ensemble
