// Starts at a minimum of the energy, which are cold until a bath has warmed them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "config/settings.hpp"

namespace nfold::setup {

/// That averages begin before the bath has brought the temperature back, or that nothing will; with
/// the key to set. Empty where there is nothing to warn of. For runs that begin.
[[nodiscard]] std::string cold_start_warning(const config::Settings& settings);

}  // namespace nfold::setup
