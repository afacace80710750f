// Input keys of a section: a table row per key, bound to a struct field by a path of members.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/document/values.hpp"

namespace nfold::document {

/// Field of a struct, the Owner, with the validation rule of its values.
template <class Owner>
struct FieldOf {
  Rule rule;
  Value (*get)(const Owner&);
  void (*set)(Owner&, const Value&);
};

/// Rule for a resume whose input has another value than the checkpoint.
enum class OnResume { refuse, allow };

/// Row of a key that sets a field of an Owner.
template <class Owner>
struct KeyOf {
  std::string_view name;  ///< "dynamics.time_step_ps"; for a species "copies"
  FieldOf<Owner> field;
  std::string_view unit = {};  ///< "ps"; empty for pure numbers, texts and choices
  OnResume on_resume = OnResume::refuse;
  std::string_view help = {};  ///< one or two sentences, with the source if there is one
  bool required = false;
  std::string_view default_text = {};     ///< set if the default depends on another key
  std::string_view alternative_key = {};  ///< key that may replace this one if it is required
};

/// Describes the accepted values with their unit: "a number > 0 and <= 1 [ps]".
template <class Owner>
[[nodiscard]] std::string accepted_text(const KeyOf<Owner>& key) {
  std::string text = describe_accepted(key.field.rule);
  if (!key.unit.empty()) text.append(" [").append(key.unit).append("]");
  return text;
}

/// Returns a required key without help.
template <class Owner>
[[nodiscard]] KeyOf<Owner> required(std::string_view name, const FieldOf<Owner>& field) {
  return {.name = name, .field = field, .required = true};
}

namespace makers {

template <class Owner, class Type>
Owner owner_of_member(Type Owner::*);
template <auto First, auto... Rest>
struct PathOwner {
  using type = decltype(owner_of_member(First));
};
/// Struct in which a path of members begins.
template <auto... Path>
using OwnerOf = typename PathOwner<Path...>::type;

/// Returns the field at the end of a path of members, <&Settings::dynamics,
/// &DynamicsSettings::seed>. Enumerators and integers are converted to and from std::uint64_t.
template <auto... Path>
FieldOf<OwnerOf<Path...>> field(const Rule& rule) {
  using Owner = OwnerOf<Path...>;
  using Type = std::remove_cvref_t<decltype((std::declval<Owner&>().*....*Path))>;
  constexpr bool is_count =
      std::is_enum_v<Type> || (std::is_integral_v<Type> && !std::is_same_v<Type, bool>);
  if constexpr (is_count) {
    return {rule, [](const Owner& o) { return Value(static_cast<std::uint64_t>((o.*....*Path))); },
            [](Owner& o, const Value& value) {
              (o.*....*Path) = static_cast<Type>(std::get<std::uint64_t>(value));
            }};
  } else {
    return {rule, [](const Owner& o) { return Value((o.*....*Path)); },
            [](Owner& o, const Value& value) { (o.*....*Path) = std::get<Type>(value); }};
  }
}

inline constexpr double no_limit = std::numeric_limits<double>::infinity();

template <auto... Path>
auto real(double at_least, double at_most = no_limit) {
  return field<Path...>(RealRule{at_least, at_most});
}
template <auto... Path>
auto real_above(double bound, double at_most = no_limit) {
  return field<Path...>(RealRule{.at_least = bound, .at_most = at_most, .above = true});
}
template <auto... Path>
auto real_list(double at_least, double at_most, std::span<const std::size_t> sizes) {
  return field<Path...>(RealListRule{at_least, at_most, sizes});
}
template <auto... Path>
auto integer(std::uint64_t at_least, std::uint64_t at_most) {
  return field<Path...>(IntegerRule{at_least, at_most});
}
template <auto... Path>
auto integer_list(std::uint64_t at_least, std::uint64_t at_most) {
  return field<Path...>(IntegerListRule{at_least, at_most});
}
template <auto... Path>
auto text() {
  return field<Path...>(TextRule{});
}
template <auto... Path>
auto text_without_blanks() {
  return field<Path...>(TextRule{true});
}
template <auto... Path>
auto text_list() {
  return field<Path...>(TextListRule{});
}
template <auto... Path>
auto flag() {
  return field<Path...>(FlagRule{});
}
template <auto... Path>
auto choice(std::span<const std::string_view> names, std::span<const Synonym> synonyms = {}) {
  return field<Path...>(ChoiceRule{names, synonyms});
}

/// Name of a choice in an input.
using Name = std::string_view;

}  // namespace makers

}  // namespace nfold::document
