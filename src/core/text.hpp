// Texts that several rooms write.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>

namespace nfold::core {

/// Returns "1 rank" or "4 ranks".
template <class Integer>
[[nodiscard]] std::string pluralise(Integer count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

[[nodiscard]] inline std::string to_lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

/// Returns the text in double quotes, as YAML and --set read it.
[[nodiscard]] inline std::string quote_yaml(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < ' ' ? fmt::format("\\x{:02x}", c) : std::string(1, c);
  }
  return quoted + '"';
}

}  // namespace nfold::core
