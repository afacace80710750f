// HDF5 group "exchange" of NAME.ensemble.h5: ladders, acceptance, and replica flow along them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "session/ensemble/file.hpp"

namespace nfold::ensemble {

void add_exchange(const EnsembleSnapshot& snapshot, common::Tables& tables);

/// Returns a line for the user, or none without exchange.
[[nodiscard]] std::vector<std::string> describe_exchange(const EnsembleSnapshot& snapshot);

/// Returns a member of each state.
[[nodiscard]] std::vector<double> state_column(
    const std::vector<system::ThermodynamicState>& states,
    double system::ThermodynamicState::*member);

}  // namespace nfold::ensemble
