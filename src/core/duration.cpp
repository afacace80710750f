// Parsing of durations from the command line.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/duration.hpp"

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/parse_number.hpp"
#include "core/refusal.hpp"

namespace nfold::core {
namespace {

std::optional<double> number(std::string_view text) {
  const auto value = parse_number<double>(text, std::chars_format::fixed);
  return value && std::isfinite(*value) && *value >= 0 ? value : std::nullopt;
}

std::optional<double> with_unit(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double unit_seconds = 1;
  switch (text.back()) {
    case 'd':
      unit_seconds = 86400;
      break;
    case 'h':
      unit_seconds = 3600;
      break;
    case 'm':
      unit_seconds = 60;
      break;
    case 's':
      break;
    default:
      return number(text);
  }
  const auto value = number(text.substr(0, text.size() - 1));
  if (!value) return std::nullopt;
  return *value * unit_seconds;
}

std::optional<double> with_colons(std::string_view text) {
  double days = 0;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    const auto value = number(text.substr(0, dash));
    if (!value) return std::nullopt;
    days = *value;
    text.remove_prefix(dash + 1);
  }
  double seconds = 0;
  int parts = 0;
  while (true) {
    const auto colon = text.find(':');
    const auto value = number(text.substr(0, colon));
    if (!value || ++parts > 3) return std::nullopt;
    seconds = seconds * 60 + *value;
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  return days * 86400 + seconds;
}

}  // namespace

double parse_duration_seconds(const std::string& text, const std::string& option) {
  const auto seconds = text.find(':') == std::string::npos ? with_unit(text) : with_colons(text);
  if (!seconds || *seconds <= 0) {
    refuse(option, "'" + text + "' is not a duration",
           "write 90s, 30m, 1.5h, 2d, HH:MM:SS or D-HH:MM:SS");
  }
  return *seconds;
}

}  // namespace nfold::core
