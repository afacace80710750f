// Search for the key that is nearest to a mistyped name.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace nfold::input {

/// Returns the full name of the key or section nearest to `name` in `section` (empty at the top
/// level); empty if none is near. If `name` is dotted, `section` is empty. Searches the section
/// first, then all keys; ignores another unit ("time_step_fs") or a missing one ("time_step").
[[nodiscard]] std::string nearest_key(std::string_view section, std::string_view name);

/// Returns a suffix that names a unit, "_fs" for "time_step_fs"; empty if there is none.
[[nodiscard]] std::string_view unit_suffix(std::string_view name);

}  // namespace nfold::input
