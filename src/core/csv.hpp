// Rows of CSV files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nfold::core {

/// Returns the text as a field, in quotes if it has a comma or a quote (RFC 4180). Line ends become
/// blanks, because a row is one line.
[[nodiscard]] std::string csv_field(std::string_view text);
/// Returns the shortest text that reads back to the same number; 1 or 0 for a bool.
template <class Number>
  requires std::is_arithmetic_v<Number>
[[nodiscard]] std::string csv_field(Number number) {
  if constexpr (std::is_same_v<Number, bool>) return number ? "1" : "0";
  return fmt::format("{}", number);
}
/// Returns texts and numbers as a row without line end.
template <class... Values>
[[nodiscard]] std::string csv_row(const Values&... values) {
  return fmt::format("{}", fmt::join(std::array{csv_field(values)...}, ","));
}

/// Returns the fields of a row, without quotes.
[[nodiscard]] std::vector<std::string> csv_fields(std::string_view row);

}  // namespace nfold::core
