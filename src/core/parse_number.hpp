// Integer parser for text of other programs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace nfold::core {

/// Parses a text that is an integer. None if it has other characters or is out of range.
template <class Integer>
[[nodiscard]] std::optional<Integer> parse_number(std::string_view text) {
  Integer number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace nfold::core
