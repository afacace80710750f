// Conversion of nodes to values and of values to text, by the rule of a key.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/document/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/document/scalars.hpp"
#include "core/nearest.hpp"
#include "core/text.hpp"

namespace nfold::document {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

std::string without_blanks(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  text.erase(std::remove_if(text.begin(), text.end(), blank), text.end());
  return text;
}

/// Converts one node by a rule, or adds a hint why it is refused.
struct Conversion {
  const InputNode& node;
  std::string& hint;

  std::optional<Value> operator()(const RealRule& rule) const {
    if (node.kind != NodeKind::scalar) return std::nullopt;
    const auto number = to_real(node.text);
    if (!number) hint = number_hint(node.text);
    const bool is_low = number && (rule.above ? *number <= rule.at_least : *number < rule.at_least);
    if (!number || is_low || *number > rule.at_most) return std::nullopt;
    return *number;
  }
  std::optional<Value> operator()(const RealListRule& rule) const {
    const auto numbers = list<double>(RealRule{rule.at_least, rule.at_most});
    if (!numbers) return std::nullopt;
    if (!rule.sizes.empty() && std::ranges::find(rule.sizes, numbers->size()) == rule.sizes.end()) {
      hint = fmt::format("found {} numbers", numbers->size());
      return std::nullopt;
    }
    return *numbers;
  }
  std::optional<Value> operator()(const IntegerRule& rule) const {
    if (node.kind != NodeKind::scalar) return std::nullopt;
    const auto number = to_integer(node.text);
    if (!number) hint = number_hint(node.text);
    if (!number || *number < rule.at_least || *number > rule.at_most) return std::nullopt;
    return *number;
  }
  std::optional<Value> operator()(const IntegerListRule& rule) const {
    const auto numbers = list<std::uint64_t>(IntegerRule{rule.at_least, rule.at_most});
    if (!numbers) return std::nullopt;
    return std::vector<std::int64_t>(numbers->begin(), numbers->end());
  }
  std::optional<Value> operator()(const TextRule& rule) const {
    if (node.kind != NodeKind::scalar) return std::nullopt;
    std::string text = rule.without_blanks ? without_blanks(node.text) : node.text;
    if (has_control(text) || (text.empty() && !rule.may_be_empty)) return std::nullopt;
    return text;
  }
  std::optional<Value> operator()(const TextListRule&) const {
    if (node.kind != NodeKind::scalar && node.kind != NodeKind::list) return std::nullopt;
    return list<std::string>(TextRule{.may_be_empty = false});
  }
  std::optional<Value> operator()(const FlagRule&) const {
    if (node.kind != NodeKind::scalar) return std::nullopt;
    if (node.text != "true" && node.text != "false") return std::nullopt;
    return node.text == "true";
  }
  std::optional<Value> operator()(const ChoiceRule& rule) const {
    if (node.kind != NodeKind::scalar) return std::nullopt;
    const auto synonym = std::ranges::find(rule.synonyms, node.text, &Synonym::name);
    const auto name = synonym == rule.synonyms.end() ? std::string_view(node.text) : synonym->means;
    const auto found = std::ranges::find(rule.names, name);
    if (found == rule.names.end()) {
      hint = core::suggest_word(node.text, rule.names, "");
      return std::nullopt;
    }
    return static_cast<std::uint64_t>(found - rule.names.begin());
  }
  std::optional<Value> operator()(const SectionListRule&) const { return std::nullopt; }

 private:
  /// Returns the items of a list; a single value counts as a list of one.
  [[nodiscard]] std::vector<InputNode> items() const {
    return node.kind == NodeKind::list ? node.items : std::vector<InputNode>{node};
  }
  /// Converts all items by one rule.
  template <class Number, class ItemRule>
  [[nodiscard]] std::optional<std::vector<Number>> list(const ItemRule& rule) const {
    std::vector<Number> numbers;
    for (const auto& item : items()) {
      const auto number = Conversion{item, hint}(rule);
      if (!number) {
        if (hint.empty()) hint = "found " + shown(item) + " among them";
        return std::nullopt;
      }
      numbers.push_back(std::get<Number>(*number));
    }
    return numbers;
  }
};

/// Formats a count as an input file may write it: powers of ten from a million on as 1e15.
std::string format_count(std::uint64_t count) {
  constexpr std::uint64_t million = 1'000'000;
  int exponent = 0;
  std::uint64_t rest = count;
  for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++exponent;
  return count >= million && rest == 1 ? fmt::format("1e{}", exponent) : fmt::format("{}", count);
}

struct Description {
  std::string operator()(const RealRule& rule) const {
    const auto lowest = fmt::format("a number {} {}", rule.above ? ">" : ">=", rule.at_least);
    return std::isinf(rule.at_most) ? lowest : fmt::format("{} and <= {}", lowest, rule.at_most);
  }
  std::string operator()(const RealListRule& rule) const {
    return fmt::format("a list of {}{}numbers >= {} and <= {}", fmt::join(rule.sizes, " or "),
                       rule.sizes.empty() ? "" : " ", rule.at_least, rule.at_most);
  }
  std::string operator()(const IntegerRule& rule) const {
    if (rule.at_most == std::numeric_limits<std::uint64_t>::max()) {
      return "a whole number from 0 to 2^64 - 1";
    }
    return fmt::format("a whole number from {} to {}", rule.at_least, format_count(rule.at_most));
  }
  std::string operator()(const IntegerListRule& rule) const {
    return fmt::format("a list of whole numbers from {} to {}", rule.at_least,
                       format_count(rule.at_most));
  }
  std::string operator()(const TextRule&) const { return "a text"; }
  std::string operator()(const TextListRule&) const { return "a list of texts"; }
  std::string operator()(const FlagRule&) const { return "true or false"; }
  std::string operator()(const ChoiceRule& rule) const {
    return fmt::format("one of {}", fmt::join(rule.names, ", "));
  }
  std::string operator()(const SectionListRule& rule) const {
    return fmt::format("a list of {}", rule.entries);
  }
};

struct Format {
  const Rule& rule;

  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::uint64_t value) const {
    const auto* choice = std::get_if<ChoiceRule>(&rule);
    return choice == nullptr ? fmt::format("{}", value) : std::string(choice->names[value]);
  }
  std::string operator()(const std::string& value) const { return core::quote_yaml(value); }
  std::string operator()(const std::vector<std::string>& value) const {
    std::vector<std::string> texts;
    texts.reserve(value.size());
    for (const auto& text : value) texts.push_back(core::quote_yaml(text));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  template <class Number>
  std::string operator()(const std::vector<Number>& value) const {
    return fmt::format("[{}]", fmt::join(value, ", "));
  }
};

}  // namespace

std::optional<Value> to_value(const Rule& rule, const InputNode& node, std::string& hint) {
  return std::visit(Conversion{node, hint}, rule);
}

std::string describe_accepted(const Rule& rule) { return std::visit(Description{}, rule); }

std::string format_value(const Rule& rule, const Value& value) {
  return std::visit(Format{rule}, value);
}

std::string printable(std::string text) {
  constexpr std::size_t most = 60;
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

std::string shown(const InputNode& node) {
  switch (node.kind) {
    case NodeKind::nothing:
      return "nothing";
    case NodeKind::list:
      return "a list";
    case NodeKind::map:
      return "a section";
    case NodeKind::scalar:
      break;
  }
  return node.text.empty() ? "an empty text" : printable(node.text);
}

bool has_control(std::string_view text) { return std::ranges::any_of(text, is_control); }

}  // namespace nfold::document
