// Unpacks gzip in memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace nfold::structure {

[[nodiscard]] bool is_gzip(std::string_view bytes);
/// All members of a gzip file. Throws StructureError naming `name` if it is cut or damaged.
[[nodiscard]] std::string gunzip(std::string_view bytes, const std::string& name);

}  // namespace nfold::structure
