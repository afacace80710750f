// The temperatures of an ensemble: the first ones, and how they are tuned while it equilibrates.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "ensemble/temperature_exchange.hpp"

namespace nfold::cli {

/// (temperatures) [K], the same bits on all ranks. Collective.
[[nodiscard]] std::vector<double> first_ladder(const comm::Communicator& communicator,
                                               const config::EnsembleSettings& settings);

/// Whether the ladder changes with the exchange at this step: the last one up to a quarter, a half
/// or all of the tuning steps. A function of the settings only.
[[nodiscard]] bool is_tuning_step(const config::EnsembleSettings& settings, std::int64_t step);

/// Changes the ladder to what rank 0 computes from acceptances, and says it. Collective.
[[nodiscard]] std::string tune_ladder(const comm::Communicator& communicator, std::int64_t step,
                                      ensemble::TemperatureExchange& exchange);

}  // namespace nfold::cli
