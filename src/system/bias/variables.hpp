// List of all collective variables.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <tuple>

#include "system/bias/distance.hpp"
#include "system/bias/radius_of_gyration.hpp"

namespace nfold::bias {

/// Indices into Variables. Append new ones: the topology hash contains the number.
enum class VariableKind : int { distance, radius_of_gyration };
using Variables = std::tuple<Distance, RadiusOfGyration>;

inline constexpr std::size_t variable_count = std::tuple_size_v<Variables>;
static_assert(static_cast<std::size_t>(VariableKind::radius_of_gyration) + 1 == variable_count,
              "the last name belongs to the last variable");

/// Calls visit(Variable{}) with the variable of this kind and returns its result.
template <std::size_t index = 0, class Visit>
decltype(auto) with_variable(VariableKind kind, const Visit& visit) {
  if (static_cast<std::size_t>(kind) == index) {
    return visit(std::tuple_element_t<index, Variables>{});
  }
  if constexpr (index + 1 < variable_count) {
    return with_variable<index + 1>(kind, visit);
  } else {
    throw std::logic_error("no such collective variable");
  }
}

/// Names in input files, in the order of Variables.
inline constexpr auto variable_names = []<class... Each>(std::tuple<Each...> /*list*/) {
  return std::array{Each::name...};
}(Variables{});

/// A collective variable and the global ids of its residues.
struct Variable {
  VariableKind kind{};
  std::vector<int> residues;
  [[nodiscard]] bool is_defined() const { return !residues.empty(); }
  bool operator==(const Variable&) const = default;
};

[[nodiscard]] inline Variable distance_between(int first, int second) {
  return {VariableKind::distance, {first, second}};
}

}  // namespace nfold::bias
