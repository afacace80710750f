// Rules that involve several keys, applied when each key is valid.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/input_error.hpp"
#include "input/settings.hpp"

namespace nfold::input {

/// Position of each key that was given; "system.species[0].copies" in a species.
using GivenKeys = std::map<std::string, core::SourcePosition, std::less<>>;

/// Sets defaults that depend on other keys and returns all contradictions.
[[nodiscard]] std::vector<core::InputProblem> complete_and_check(input::Settings& settings,
                                                                 const GivenKeys& given,
                                                                 const std::string& file);

}  // namespace nfold::input
