// What of an input may change when a run goes on, said by name when it may not.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "config/settings.hpp"

namespace nfold::job {

/// InputError naming every key that changed and may not; `where` is the folder or checkpoint that
/// holds `before`.
void refuse_changed_keys(const config::Settings& before, const config::Settings& now,
                         const std::string& where);

/// "output.energies_every_steps: 1000 -> 500, ..." of the keys that changed and may; empty if none.
[[nodiscard]] std::string accepted_changes(const config::Settings& before,
                                           const config::Settings& now);

}  // namespace nfold::job
