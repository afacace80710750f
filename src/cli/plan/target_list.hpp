// List of targets before its batch: its entries, their budgets and their errors.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "input/batch_file.hpp"

namespace nfold::plan {

/// Returns the targets of a folder or list; nothing if the input is a run, an ensemble or no YAML.
/// Throws core::InputError if the list as a whole is invalid.
[[nodiscard]] std::optional<input::BatchFile> read_target_list(const std::filesystem::path& input);

struct CheckedTargets {
  std::vector<std::string> errors;  ///< reasons why targets cannot start
  std::vector<std::string> notes;   ///< size, budget, protocol and structure of the other targets
};
/// Reads and builds each target's system. overrides: values of --set.
[[nodiscard]] CheckedTargets check_targets(const input::BatchFile& list,
                                           const std::vector<std::string>& overrides);

}  // namespace nfold::plan
