// Access to the parts of an evaluated force field by names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "input/force_field.hpp"

namespace nfold::input {

inline ForceField field_of(const std::string& text, const Conditions& conditions = {},
                           const CondensateSettings& settings = {}, const ReadFile& read = {}) {
  return evaluate(*read_force_field(text, "own.yaml", read), conditions, settings);
}
inline ForceField builtin(std::string_view name, const CondensateSettings& settings = {}) {
  return evaluate(*builtin_force_field(name), {}, settings);
}

inline const PairTerm& term(const ForceField& field, const std::string& name) {
  const auto found = std::ranges::find(field.pair_terms, name, &PairTerm::name);
  if (found == field.pair_terms.end()) throw std::logic_error("no term " + name);
  return *found;
}
inline const std::optional<pair_forms::PairFunction>& maybe(const ForceField& field,
                                                            const std::string& name,
                                                            const std::string& a,
                                                            const std::string& b) {
  return field.function(term(field, name), field.find_bead(a), field.find_bead(b));
}
inline const pair_forms::PairFunction& pair(const ForceField& field, const std::string& name,
                                            const std::string& a, const std::string& b) {
  return maybe(field, name, a, b).value();
}
inline const BeadType& bead(const ForceField& field, const std::string& name) {
  return field.beads.at(static_cast<std::size_t>(field.find_bead(name)));
}
inline std::vector<double> numbers(const pair_forms::PairFunction& function, std::size_t count) {
  return {function.numbers.begin(), function.numbers.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace nfold::input
