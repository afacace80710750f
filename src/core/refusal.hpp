// Input errors with place, problem and remedy.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "core/outcome.hpp"

namespace nfold::core {

/// Throws core::InputError "WHERE: PROBLEM (REMEDY)".
[[noreturn]] void refuse(const std::string& where, const std::string& problem,
                         const std::string& remedy, Outcome outcome = Outcome::wrong_input);

}  // namespace nfold::core
