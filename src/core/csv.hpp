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

/// Returns the text as a CSV field, in quotes if it has a comma or a quote (RFC 4180). Line ends
/// become blanks, because a row is one line.
[[nodiscard]] std::string quote_csv_field(std::string_view text);
/// Returns a number as a CSV field, which needs no quotes: the shortest text that reads back to the
/// same number; 1 or 0 for a bool.
template <class Number>
  requires std::is_arithmetic_v<Number>
[[nodiscard]] std::string quote_csv_field(Number number) {
  if constexpr (std::is_same_v<Number, bool>) return number ? "1" : "0";
  return fmt::format("{}", number);
}
/// Returns texts and numbers as a CSV row without line end.
template <class... Values>
[[nodiscard]] std::string csv_row(const Values&... values) {
  return fmt::format("{}", fmt::join(std::array{quote_csv_field(values)...}, ","));
}

/// Splits a CSV row into its fields, and removes their quotes.
[[nodiscard]] std::vector<std::string> split_csv_row(std::string_view row);

}  // namespace nfold::core
