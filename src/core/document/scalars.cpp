// Conversion of text to numbers, independent of system and locale.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/document/scalars.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "core/parse_number.hpp"

namespace nfold::document {

namespace {

struct Scanned {
  double value = 0;
  std::size_t length = 0;  // length of the number at the start of the text; 0: none
  bool in_range = false;
};

Scanned scan(std::string_view text) {
  const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  const std::string_view rest = plus ? text.substr(1) : text;
  Scanned result;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), result.value);
  if (error == std::errc::invalid_argument) return result;
  result.length = static_cast<std::size_t>(end - rest.data()) + (plus ? 1 : 0);
  result.in_range = error == std::errc() && std::isfinite(result.value);
  return result;
}

bool starts_like_number(std::string_view text) {
  return text.find_first_of("0123456789") <= 2;  // sign and point may come first
}

}  // namespace

std::optional<double> to_real(std::string_view text) {
  const Scanned number = scan(text);
  if (number.length == 0 || number.length != text.size() || !number.in_range) return std::nullopt;
  return number.value == 0 ? 0.0 : number.value;  // avoids negative zero
}

std::optional<std::uint64_t> to_integer(std::string_view text) {
  if (const auto value = core::parse_number<std::uint64_t>(text)) return value;
  const auto real = to_real(text);
  if (!real || *real < 0 || *real > 0x1p53 || *real != std::floor(*real)) return std::nullopt;
  return static_cast<std::uint64_t>(*real);
}

std::string number_hint(std::string_view text) {
  const Scanned number = scan(text);
  if (!starts_like_number(text) || number.length == 0 || number.length == text.size()) return {};
  const char next = text[number.length];
  if (next == ',') return "with a decimal point and no thousands separator";
  if (next == '_' || next == '\'') return "without separators";
  return "the number alone: its unit is in the key's name";
}

}  // namespace nfold::document
