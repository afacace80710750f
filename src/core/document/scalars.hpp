// Conversion of a value's text to a number, stricter than YAML.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nfold::document {

/// Converts a text that is one finite decimal number. Returns nullopt for anything else (nan,
/// hexadecimal, unit, comma).
[[nodiscard]] std::optional<double> to_real(std::string_view text);
/// Converts a whole number from 0 to 2^64 - 1: digits, or up to 2^53 a real such as 1e6.
[[nodiscard]] std::optional<std::uint64_t> to_integer(std::string_view text);
/// Suggests the number that a text may have meant; empty if none.
[[nodiscard]] std::string number_hint(std::string_view text);

}  // namespace nfold::document
