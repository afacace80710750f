// From the text of a value to a number, by rules stricter than YAML's.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nfold::document {

/// A finite decimal number, all of the text; nothing else (no nan, hexadecimal, unit or comma).
[[nodiscard]] std::optional<double> to_real(std::string_view text);
/// A whole number from 0 to 2^64 - 1: digits, or a real such as 1e6 that is one, up to 2^53.
[[nodiscard]] std::optional<std::uint64_t> to_integer(std::string_view text);
/// What a person may have meant by a text that is no number: a hint, or nothing.
[[nodiscard]] std::string number_hint(std::string_view text);

}  // namespace nfold::document
