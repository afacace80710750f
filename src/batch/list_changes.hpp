// Changes of a list of targets between two starts of its batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nfold::batch {

/// Returns "targets added: c, d", "targets removed: a", "target 'b': input.dynamics.steps: 1000 ->
/// 2000" and changed keys of all targets, at most 20 changes and the number of others. before, now:
/// texts of the list. file: names it in errors. Empty if `before` is no valid list. Throws
/// InputError if `now` is none.
[[nodiscard]] std::vector<std::string> describe_list_changes(std::string_view before,
                                                             std::string_view now,
                                                             const std::string& file);

}  // namespace nfold::batch
