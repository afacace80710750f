// Table of the force fields built into nfold, for nfold help.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace nfold::cli {

/// Returns a table of all models: article, fit, temperature, salt, cutoffs, mixtures and limits.
[[nodiscard]] std::string describe_models();
/// Returns the rows of one model. Returns "" for a name that no built-in force field has.
[[nodiscard]] std::string describe_model(std::string_view name);

}  // namespace nfold::cli
