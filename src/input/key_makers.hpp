// Builders of the key tables: a value from the path of members that leads to it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "input/keys.hpp"

namespace nfold::input::makers {

template <class Owner, class Type>
Owner owner_of_member(Type Owner::*);
template <auto First, auto... Rest>
struct PathOwner {
  using type = decltype(owner_of_member(First));
};
/// Struct in which a path of members begins.
template <auto... Path>
using OwnerOf = typename PathOwner<Path...>::type;

/// Returns the field at the end of a path of members: field<&Settings::dynamics,
/// &DynamicsSettings::seed>.
template <auto... Path>
auto& field(OwnerOf<Path...>& owner) {
  return (owner.*....*Path);
}
template <auto... Path>
const auto& field(const OwnerOf<Path...>& owner) {
  return (owner.*....*Path);
}
template <auto... Path>
using FieldType = std::remove_cvref_t<decltype(field<Path...>(std::declval<OwnerOf<Path...>&>()))>;

template <auto... Path>
ValueOf<OwnerOf<Path...>> real(double at_least, double at_most) {
  using Owner = OwnerOf<Path...>;
  return RealValueOf<Owner>{[](const Owner& o) { return field<Path...>(o); },
                            [](Owner& o, double value) { field<Path...>(o) = value; }, at_least,
                            at_most};
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> real_above(double bound, double at_most) {
  auto value = std::get<RealValueOf<OwnerOf<Path...>>>(real<Path...>(bound, at_most));
  value.above = true;
  return value;
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> real_list(double at_least, double at_most,
                                    std::span<const std::size_t> sizes) {
  using Owner = OwnerOf<Path...>;
  return RealListValueOf<Owner>{
      [](const Owner& o) -> const std::vector<double>& { return field<Path...>(o); },
      [](Owner& o, const std::vector<double>& value) { field<Path...>(o) = value; }, at_least,
      at_most, sizes};
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> integer(std::uint64_t at_least, std::uint64_t at_most) {
  using Owner = OwnerOf<Path...>;
  using Type = FieldType<Path...>;
  return IntegerValueOf<Owner>{
      [](const Owner& o) { return static_cast<std::uint64_t>(field<Path...>(o)); },
      [](Owner& o, std::uint64_t value) { field<Path...>(o) = static_cast<Type>(value); }, at_least,
      at_most};
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> integer_list(std::uint64_t at_least, std::uint64_t at_most) {
  using Owner = OwnerOf<Path...>;
  return IntegerListValueOf<Owner>{
      [](const Owner& o) -> const std::vector<std::int64_t>& { return field<Path...>(o); },
      [](Owner& o, const std::vector<std::int64_t>& value) { field<Path...>(o) = value; }, at_least,
      at_most};
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> text() {
  using Owner = OwnerOf<Path...>;
  return TextValueOf<Owner>{[](const Owner& o) -> const std::string& { return field<Path...>(o); },
                            [](Owner& o, const std::string& value) { field<Path...>(o) = value; }};
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> text_without_blanks() {
  auto value = std::get<TextValueOf<OwnerOf<Path...>>>(text<Path...>());
  value.without_blanks = true;
  return value;
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> text_list() {
  using Owner = OwnerOf<Path...>;
  return TextListValueOf<Owner>{
      [](const Owner& o) -> const std::vector<std::string>& { return field<Path...>(o); },
      [](Owner& o, const std::vector<std::string>& value) { field<Path...>(o) = value; }};
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> flag() {
  using Owner = OwnerOf<Path...>;
  return FlagValueOf<Owner>{[](const Owner& o) { return field<Path...>(o); },
                            [](Owner& o, bool value) { field<Path...>(o) = value; }};
}
template <auto... Path>
ValueOf<OwnerOf<Path...>> choice(std::span<const std::string_view> names,
                                 std::span<const Synonym> synonyms = {}) {
  using Owner = OwnerOf<Path...>;
  using Type = FieldType<Path...>;
  return ChoiceValueOf<Owner>{
      [](const Owner& o) { return static_cast<std::size_t>(field<Path...>(o)); },
      [](Owner& o, std::size_t value) { field<Path...>(o) = static_cast<Type>(value); }, names,
      synonyms};
}

using Name = std::string_view;
inline constexpr std::uint64_t most_steps = 100'000'000'000'000;  // the noise counter holds 2^48
inline constexpr std::uint64_t any_seed = std::numeric_limits<std::uint64_t>::max();
inline constexpr auto refuse = OnResume::refuse;
inline constexpr auto allow = OnResume::allow;
inline constexpr std::array<Name, 3> axis_names{"x", "y", "z"};
inline constexpr std::array<Name, 5> end_names{"model", "none", "first", "last", "both"};
inline constexpr std::array<Synonym, 2> end_synonyms{{{"false", "none"}, {"true", "both"}}};

// Parts of the key table, one per file; keys.cpp joins them.
[[nodiscard]] std::vector<Key> system_keys();
[[nodiscard]] std::vector<Key> force_field_keys();
[[nodiscard]] std::vector<Key> condensate_keys();
[[nodiscard]] std::vector<Key> run_keys();
[[nodiscard]] std::vector<Key> device_keys();
[[nodiscard]] std::vector<Key> bias_keys();
[[nodiscard]] std::vector<Key> observable_keys();
[[nodiscard]] std::vector<Key> ensemble_keys();
[[nodiscard]] std::vector<Key> ensemble_analysis_keys();

}  // namespace nfold::input::makers
