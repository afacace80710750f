// Values of keys: the rule that a value keeps, conversion from a node and to text.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/document/document.hpp"

namespace nfold::document {

/// A value of any key: a number, a list of numbers, the index of a choice (as an integer), and so
/// on. Lists of sections are not values, because each of their entries has keys of its own.
using Value = std::variant<double, std::vector<double>, std::uint64_t, std::vector<std::int64_t>,
                           std::string, std::vector<std::string>, bool>;

/// A finite number. `at_least` itself is allowed unless `above` is set; an infinite `at_most` is no
/// limit.
struct RealRule {
  double at_least, at_most;
  bool above = false;  ///< strictly more than at_least
};
/// A list of finite numbers; a single number counts as a list of one.
struct RealListRule {
  double at_least, at_most;
  std::span<const std::size_t> sizes;  ///< allowed lengths of the list; empty: any length
};
/// A non-negative integer.
struct IntegerRule {
  std::uint64_t at_least, at_most;
};
/// A list of integers; a single number counts as a list of one.
struct IntegerListRule {
  std::uint64_t at_least, at_most;
};
/// A text without control characters.
struct TextRule {
  bool without_blanks = false;  ///< blanks are removed
  bool may_be_empty = true;
};
/// A list of non-empty texts; a single text counts as a list of one.
struct TextListRule {};
/// A boolean, true or false.
struct FlagRule {};
/// An alternative name that is read but never written.
struct Synonym {
  std::string_view name, means;
};
/// One of several names. The value is the index of the name in the list.
struct ChoiceRule {
  std::span<const std::string_view> names;
  std::span<const Synonym> synonyms = {};
};
/// A list of sections, which the reader of the key reads entry by entry.
struct SectionListRule {
  std::string_view entries;  ///< "species"
};
using Rule = std::variant<RealRule, RealListRule, IntegerRule, IntegerListRule, TextRule,
                          TextListRule, FlagRule, ChoiceRule, SectionListRule>;

/// Returns the value of a node. Returns nullopt if the rule does not accept the node; `hint` may
/// then contain more.
[[nodiscard]] std::optional<Value> to_value(const Rule& rule, const InputNode& node,
                                            std::string& hint);
/// Describes the accepted values: "a number > 0 and <= 1", "one of mixed, double".
[[nodiscard]] std::string describe_accepted(const Rule& rule);
/// Returns the value as YAML: shortest decimals that read back as the same double, texts in quotes.
[[nodiscard]] std::string format_value(const Rule& rule, const Value& value);

/// Prepares a text for a one-line message: replaces control characters by '?' and shortens it.
[[nodiscard]] std::string printable(std::string text);
/// Describes a node for a message: its text, or its kind.
[[nodiscard]] std::string shown(const InputNode& node);
/// True if the text contains control characters, which quotes can escape but no nfold name has.
[[nodiscard]] bool has_control(std::string_view text);

}  // namespace nfold::document
