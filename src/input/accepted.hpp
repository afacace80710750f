// Descriptions of the values that a key accepts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <variant>

#include "input/keys.hpp"

namespace nfold::input {

/// Formats a count as an input file may write it: powers of ten from a million on as 1e15.
inline std::string count_text(std::uint64_t count) {
  constexpr std::uint64_t million = 1'000'000;
  int exponent = 0;
  std::uint64_t rest = count;
  for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++exponent;
  return count >= million && rest == 1 ? fmt::format("1e{}", exponent) : fmt::format("{}", count);
}

struct Accepted {
  template <class Owner>
  std::string operator()(const RealValueOf<Owner>& value) const {
    return fmt::format("a number {} {} and <= {}", value.above ? ">" : ">=", value.at_least,
                       value.at_most);
  }
  template <class Owner>
  std::string operator()(const RealListValueOf<Owner>& value) const {
    return fmt::format("a list of {}{}numbers >= {} and <= {}", fmt::join(value.sizes, " or "),
                       value.sizes.empty() ? "" : " ", value.at_least, value.at_most);
  }
  template <class Owner>
  std::string operator()(const IntegerValueOf<Owner>& value) const {
    if (value.at_most == std::numeric_limits<std::uint64_t>::max()) {
      return "a whole number from 0 to 2^64 - 1";
    }
    return fmt::format("a whole number from {} to {}", value.at_least, count_text(value.at_most));
  }
  template <class Owner>
  std::string operator()(const IntegerListValueOf<Owner>& value) const {
    return fmt::format("a list of whole numbers from {} to {}", value.at_least,
                       count_text(value.at_most));
  }
  template <class Owner>
  std::string operator()(const TextValueOf<Owner>&) const {
    return "a text";
  }
  template <class Owner>
  std::string operator()(const TextListValueOf<Owner>&) const {
    return "a list of texts";
  }
  template <class Owner>
  std::string operator()(const FlagValueOf<Owner>&) const {
    return "true or false";
  }
  template <class Owner>
  std::string operator()(const ChoiceValueOf<Owner>& value) const {
    return fmt::format("one of {}", fmt::join(value.names, ", "));
  }
  std::string operator()(const SpeciesListValue&) const { return "a list of species"; }
  std::string operator()(const BiasListValue&) const { return "a list of biases"; }
};

/// Returns "a number > 0 and <= 1" or "one of mixed, double".
template <class Owner>
[[nodiscard]] std::string accepted_value(const ValueOf<Owner>& value) {
  return std::visit(Accepted{}, value);
}

}  // namespace nfold::input
