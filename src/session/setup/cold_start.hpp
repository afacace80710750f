// Starts at a minimum of the energy, which are cold until a thermostat has heated them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "input/settings.hpp"

namespace nfold::setup {

/// Returns a warning, with the key to set, if averages begin before the thermostat has restored the
/// temperature, or if there is no thermostat. Empty if there is nothing to warn of. For new runs.
[[nodiscard]] std::string cold_start_warning(const input::Settings& settings);

}  // namespace nfold::setup
