// Conversion of an input node to the value of one key.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "core/document/scalars.hpp"
#include "input/keys.hpp"
#include "input/nearest.hpp"

namespace nfold::input {

/// Prepares a text for a one-line message: replaces control characters by '?' and shortens it.
[[nodiscard]] std::string printable(std::string text);
/// Describes a node for a message: its text, or its kind.
[[nodiscard]] std::string shown(const document::InputNode& node);
/// True if the text contains control characters, which quotes can escape but no nfold name has.
[[nodiscard]] bool has_control(std::string_view text);
[[nodiscard]] std::string without_blanks(std::string text);

/// Sets one key from a node. Returns false if the key does not accept the node; `hint` may then
/// contain more. Lists of sections are read by the caller, because each of their entries has keys
/// with positions.
template <class Owner>
struct Assign {
  Owner& owner;
  const document::InputNode& node;
  std::string& hint;

  bool operator()(const RealValueOf<Owner>& value) const {
    const auto number = real_of(node, value.at_least, value.at_most, value.above);
    if (number) value.set(owner, *number);
    return number.has_value();
  }
  bool operator()(const RealListValueOf<Owner>& value) const {
    std::vector<double> numbers;
    for (const auto& item : items()) {
      const auto number = real_of(item, value.at_least, value.at_most, false);
      if (!number) {
        if (hint.empty()) hint = "found " + shown(item) + " among them";
        return false;
      }
      numbers.push_back(*number);
    }
    const auto known = std::find(value.sizes.begin(), value.sizes.end(), numbers.size());
    const bool fits = value.sizes.empty() || known != value.sizes.end();
    if (!fits) hint = fmt::format("found {} numbers", numbers.size());
    if (fits) value.set(owner, numbers);
    return fits;
  }
  bool operator()(const IntegerValueOf<Owner>& value) const {
    const auto number = integer_of(node, value.at_least, value.at_most);
    if (number) value.set(owner, *number);
    return number.has_value();
  }
  bool operator()(const IntegerListValueOf<Owner>& value) const {
    std::vector<std::int64_t> numbers;
    for (const auto& item : items()) {
      const auto number = integer_of(item, value.at_least, value.at_most);
      if (!number) {
        if (hint.empty()) hint = "found " + shown(item) + " among them";
        return false;
      }
      numbers.push_back(static_cast<std::int64_t>(*number));
    }
    value.set(owner, numbers);
    return true;
  }
  bool operator()(const TextValueOf<Owner>& value) const {
    if (node.kind != document::NodeKind::scalar) return false;
    const std::string text = value.without_blanks ? without_blanks(node.text) : node.text;
    if (has_control(text)) return false;
    value.set(owner, text);
    return true;
  }
  bool operator()(const TextListValueOf<Owner>& value) const {
    if (node.kind != document::NodeKind::scalar && node.kind != document::NodeKind::list)
      return false;
    std::vector<std::string> texts;
    for (const auto& item : items()) {
      if (item.kind != document::NodeKind::scalar || item.text.empty() || has_control(item.text)) {
        hint = "found " + shown(item) + " among them";
        return false;
      }
      texts.push_back(item.text);
    }
    value.set(owner, texts);
    return true;
  }
  bool operator()(const FlagValueOf<Owner>& value) const {
    if (node.kind != document::NodeKind::scalar) return false;
    if (node.text != "true" && node.text != "false") return false;
    value.set(owner, node.text == "true");
    return true;
  }
  bool operator()(const ChoiceValueOf<Owner>& value) const {
    if (node.kind != document::NodeKind::scalar) return false;
    const auto synonym = std::ranges::find(value.synonyms, node.text, &Synonym::name);
    const auto name =
        synonym == value.synonyms.end() ? std::string_view(node.text) : synonym->means;
    const auto found = std::find(value.names.begin(), value.names.end(), name);
    if (found == value.names.end()) {
      const auto nearest = nearest_word(node.text, value.names);
      if (!nearest.empty()) hint = fmt::format("did you mean '{}'?", nearest);
      return false;
    }
    value.set(owner, static_cast<std::size_t>(found - value.names.begin()));
    return true;
  }
  template <class Entry>
  bool operator()(const SectionListValue<Entry>&) const {
    return false;
  }

 private:
  /// Returns the items of a list; a single value counts as a list of one.
  [[nodiscard]] std::vector<document::InputNode> items() const {
    return node.kind == document::NodeKind::list ? node.items
                                                 : std::vector<document::InputNode>{node};
  }
  [[nodiscard]] std::optional<double> real_of(const document::InputNode& item, double at_least,
                                              double at_most, bool above) const {
    if (item.kind != document::NodeKind::scalar) return std::nullopt;
    const auto number = document::to_real(item.text);
    if (!number) hint = document::number_hint(item.text);
    const bool low = number && (above ? *number <= at_least : *number < at_least);
    return number && !low && *number <= at_most ? number : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> integer_of(const document::InputNode& item,
                                                        std::uint64_t at_least,
                                                        std::uint64_t at_most) const {
    if (item.kind != document::NodeKind::scalar) return std::nullopt;
    const auto number = document::to_integer(item.text);
    if (!number) hint = document::number_hint(item.text);
    return number && *number >= at_least && *number <= at_most ? number : std::nullopt;
  }
};

}  // namespace nfold::input
