// A list of targets before its batch: which there are, how each spends its budget, what is wrong.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "input_files/batch_file.hpp"

namespace nfold::forecast {

/// What a folder or a list of targets says; none: the input is of a run or an ensemble, or no YAML.
/// document::InputError for a list that has something wrong as a whole.
[[nodiscard]] std::optional<input_files::BatchFile> target_list_of(
    const std::filesystem::path& input);

struct CheckedTargets {
  std::vector<std::string> errors;  ///< why targets can't even begin
  std::vector<std::string> notes;   ///< of the others: size, budget, protocol and structure
};
/// Reads and builds each target's system. overrides: of --set.
[[nodiscard]] CheckedTargets check_targets(const input_files::BatchFile& list,
                                           const std::vector<std::string>& overrides);

}  // namespace nfold::forecast
