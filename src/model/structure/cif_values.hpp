// Values of an mmCIF file as text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace nfold::structure {

/// Returns the text of a value; empty for '.' and '?'.
[[nodiscard]] inline std::string_view unquoted(std::string_view value) {
  if (value.size() >= 2 && (value[0] == '\'' || value[0] == '"')) {
    return value.substr(1, value.size() - 2);
  }
  if (!value.empty() && value[0] == ';') {
    value.remove_prefix(1);
    while (!value.empty() &&
           (value.back() == ';' || value.back() == '\n' || value.back() == '\r')) {
      value.remove_suffix(1);
    }
    return value;
  }
  return value == "." || value == "?" ? std::string_view{} : value;
}

}  // namespace nfold::structure
