// Recognition of OpenMM expressions as fields: products of steps and powers of a distance.
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/calvados/external_force.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/document/scalars.hpp"

namespace nfold::calvados {
namespace {

/// Splits at a character outside parentheses.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] != separator || depth != 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// Returns what a function of this name holds in its parentheses.
std::optional<std::string_view> inside(std::string_view text, std::string_view name) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return std::nullopt;  // the parentheses are not a pair
  }
  return text;
}

class FieldParser {
 public:
  std::optional<bias::ExternalField> parse(std::string_view expression) {
    for (const char c : expression) {
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') text_ += c;
    }
    auto parts = split(text_, ';');
    while (parts.size() > 1 && parts.back().empty()) parts.pop_back();
    for (std::size_t k = 1; k < parts.size(); ++k) {
      const auto equal = parts[k].find('=');
      if (equal == std::string_view::npos) return std::nullopt;
      names_.push_back({parts[k].substr(0, equal), parts[k].substr(equal + 1)});
    }
    for (const auto factor : split(parts[0], '*')) {
      if (!read_factor(factor)) return std::nullopt;
    }
    if (!has_distance_ || power_ == 0) return std::nullopt;
    if (power_ == 2) {
      field_.k_kj_mol_nm2 = 2 * factor_;
    } else {
      if (centre_ && *centre_ != 0) return std::nullopt;
      field_.slope_kj_mol_nm = factor_;
    }
    field_.centre_nm = centre_.value_or(0);
    return field_;
  }

 private:
  struct Name {
    std::string_view name, value;
  };

  bool read_factor(std::string_view factor) {
    if (const auto number = document::to_real(factor)) {
      factor_ *= *number;
      return true;
    }
    if (const auto step = inside(factor, "step")) return read_step(*step);
    return read_power(factor);
  }

  /// Reads step(d - w), or step(d^2 - w^2).
  bool read_step(std::string_view text) {
    const auto parts = split(text, '-');
    if (parts.size() > 2 || field_.inner_nm != 0) return false;
    const auto power = distance_power(parts[0]);
    const auto width = parts.size() == 2 ? document::to_real(parts[1]) : std::optional(0.0);
    if (!power || !width || *width < 0) return false;
    field_.inner_nm = *power == 2 ? std::sqrt(*width) : *width;
    return true;
  }

  /// Reads d, d^2, (d - c) or (d - c)^2.
  bool read_power(std::string_view text) {
    int power = 1;
    if (const auto exponent = split(text, '^'); exponent.size() == 2) {
      if (exponent[1] != "2") return false;
      power = 2;
      text = exponent[0];
    }
    double centre = 0;
    if (const auto difference = inside(text, "")) {
      const auto parts = split(*difference, '-');
      if (parts.size() > 2) return false;
      const auto number = parts.size() == 2 ? document::to_real(parts[1]) : std::optional(0.0);
      if (!number) return false;
      centre = *number;
      text = parts[0];
    }
    const auto of_distance = distance_power(text);
    if (!of_distance || (*of_distance == 2 && (power == 2 || centre != 0))) return false;
    if (centre_ && *centre_ != centre) return false;
    centre_ = centre;
    power_ += power * *of_distance;
    return power_ <= 2;
  }

  /// Returns 1 for the distance, 2 for its square, and notes from where it is.
  std::optional<int> distance_power(std::string_view text, int depth = 0) {
    constexpr int deepest = 4;
    if (depth > deepest) return std::nullopt;
    const auto name = std::ranges::find(names_, text, &Name::name);
    if (name != names_.end()) return distance_power(name->value, depth + 1);
    if (const auto absolute = inside(text, "abs")) return distance_power(*absolute, depth + 1);
    if (const auto exponent = split(text, '^'); exponent.size() == 2) {
      const auto power = distance_power(exponent[0], depth + 1);
      if (exponent[1] != "2" || power != 1) return std::nullopt;
      return 2;
    }
    const auto arguments = inside(text, "periodicdistance");
    if (!arguments || !read_origin(split(*arguments, ','))) return std::nullopt;
    return 1;
  }

  bool read_origin(const std::vector<std::string_view>& arguments) {
    constexpr std::size_t count = 6;
    if (arguments.size() != count) return false;
    bias::ExternalField found;
    bool any = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string_view own = std::string_view("xyz").substr(axis, 1);
      if (arguments[axis] != own) return false;
      if (arguments[3 + axis] == own) continue;  // the axis does not count
      const auto number = document::to_real(arguments[3 + axis]);
      if (!number) return false;
      found.axes.at(axis) = any = true;
      found.origin_nm.at(axis) = *number;
    }
    if (!any) return false;
    if (has_distance_ && (found.axes != field_.axes || found.origin_nm != field_.origin_nm)) {
      return false;
    }
    has_distance_ = true;
    field_.axes = found.axes;
    field_.origin_nm = found.origin_nm;
    return true;
  }

  std::string text_;
  std::vector<Name> names_;
  bias::ExternalField field_;
  bool has_distance_ = false;
  double factor_ = 1;
  int power_ = 0;
  std::optional<double> centre_;
};

}  // namespace

std::optional<bias::ExternalField> to_external_field(std::string_view expression) {
  return FieldParser().parse(expression);
}

}  // namespace nfold::calvados
