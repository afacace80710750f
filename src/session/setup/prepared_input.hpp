// Text of a prepared input file: chosen keys, each with its help as a comment.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "input/settings.hpp"

namespace nfold::setup {

/// Returns an input file with the keys that users are likely to change and those that differ from
/// their defaults, each below a comment from the table of keys. `remarks` head the file, a comment
/// line each. parse_input() converts it back to `settings`.
[[nodiscard]] std::string commented_input(const input::Settings& settings,
                                          const std::vector<std::string>& remarks);

}  // namespace nfold::setup
