// Rules that join several keys, once each of them is right by itself.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/input_error.hpp"
#include "config/settings.hpp"

namespace nfold::config {

/// Where each key that was given stands; "system.species[0].copies" in a species.
using GivenKeys = std::map<std::string, SourcePosition, std::less<>>;

/// Sets defaults that depend on other keys and returns what contradicts itself.
[[nodiscard]] std::vector<InputProblem> complete_and_check(Settings& settings,
                                                           const GivenKeys& given,
                                                           const std::string& file);

}  // namespace nfold::config
