// Which known word was meant.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace nfold::config {

/// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The closest of the words; empty if none is near enough to have been meant.
[[nodiscard]] std::string_view nearest_word(std::string_view word,
                                            std::span<const std::string_view> known);

/// The key or section that was most likely meant by `name` inside `section` (empty at the top),
/// with its full name; empty if none is near. `name` may be dotted, then `section` is empty. Looks
/// in the section first, then everywhere; sees through another unit ("time_step_fs") and a missing
/// one ("time_step").
[[nodiscard]] std::string nearest_key(std::string_view section, std::string_view name);

/// "_fs" of "time_step_fs": a suffix that names a unit; empty if there is none.
[[nodiscard]] std::string_view unit_suffix(std::string_view name);

}  // namespace nfold::config
