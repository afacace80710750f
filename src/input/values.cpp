// Texts of keys: accepted values, current value, default.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <type_traits>

#include "core/text.hpp"
#include "input/accepted.hpp"
#include "input/keys.hpp"

namespace nfold::input {

namespace {

template <class Entry>
std::vector<std::string> given_lines(const Entry& entry);

template <class Owner>
struct Written {
  const Owner& owner;

  std::string operator()(const RealValueOf<Owner>& value) const {
    return fmt::format("{}", value.get(owner));
  }
  std::string operator()(const RealListValueOf<Owner>& value) const {
    return fmt::format("[{}]", fmt::join(value.get(owner), ", "));
  }
  std::string operator()(const IntegerValueOf<Owner>& value) const {
    return fmt::format("{}", value.get(owner));
  }
  std::string operator()(const IntegerListValueOf<Owner>& value) const {
    return fmt::format("[{}]", fmt::join(value.get(owner), ", "));
  }
  std::string operator()(const TextValueOf<Owner>& value) const {
    return core::quote_yaml(value.get(owner));
  }
  std::string operator()(const TextListValueOf<Owner>& value) const {
    std::vector<std::string> texts;
    for (const auto& text : value.get(owner)) texts.push_back(core::quote_yaml(text));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }
  std::string operator()(const FlagValueOf<Owner>& value) const {
    return value.get(owner) ? "true" : "false";
  }
  std::string operator()(const ChoiceValueOf<Owner>& value) const {
    return std::string(value.names[value.get(owner)]);
  }
  template <class Entry>
  std::string operator()(const SectionListValue<Entry>& value) const {
    std::vector<std::string> entries;
    if constexpr (std::is_same_v<Owner, Settings>) {
      for (const Entry& entry : value.get(owner)) {
        entries.push_back(fmt::format("{{{}}}", fmt::join(given_lines(entry), ", ")));
      }
    }
    return fmt::format("[{}]", fmt::join(entries, ", "));
  }
};

template <class Owner>
std::string accepted(const KeyOf<Owner>& key) {
  std::string text = accepted_value<Owner>(key.value);
  if (!key.unit.empty()) text += fmt::format(" [{}]", key.unit);
  return text;
}

template <class Owner>
std::string default_of(const KeyOf<Owner>& key) {
  if (key.required && !key.instead.empty()) return fmt::format("required, or {}", key.instead);
  if (key.required) return "required";
  if (!key.default_text.empty()) return std::string(key.default_text);
  return value_text(key, Owner{});
}

/// Returns "copies: 10" for each key of an entry that differs from its default.
template <class Entry>
std::vector<std::string> given_lines(const Entry& entry) {
  std::vector<std::string> lines;
  for (const auto& key : entry_keys<Entry>()) {
    const std::string text = value_text(key, entry);
    if (text != value_text(key, Entry{})) {
      lines.push_back(fmt::format("{}: {}", key.name, text));
    }
  }
  return lines;
}

}  // namespace

std::string accepted_text(const Key& key) { return accepted(key); }
std::string accepted_text(const SpeciesKey& key) { return accepted(key); }
std::string accepted_text(const BiasKey& key) { return accepted(key); }

std::string value_text(const Key& key, const Settings& settings) {
  return std::visit(Written<Settings>{settings}, key.value);
}
std::string value_text(const SpeciesKey& key, const SpeciesSettings& species) {
  return std::visit(Written<SpeciesSettings>{species}, key.value);
}
std::string value_text(const BiasKey& key, const BiasSettings& bias) {
  return std::visit(Written<BiasSettings>{bias}, key.value);
}

std::string default_text(const Key& key) { return default_of(key); }
std::string default_text(const SpeciesKey& key) { return default_of(key); }

namespace {

struct Block {
  const Settings& settings;
  std::size_t indent;

  /// Returns an empty text if the value is no list or an empty one.
  std::string operator()(const auto& /*value*/) const { return {}; }
  template <class Entry>
  std::string operator()(const SectionListValue<Entry>& value) const {
    std::string text;
    for (const Entry& entry : value.get(settings)) {
      std::string mark = "- ";
      for (const std::string& line : given_lines(entry)) {
        text += fmt::format("\n{}{}{}", std::string(indent, ' '), mark, line);
        mark = "  ";
      }
    }
    return text;
  }
};

}  // namespace

std::string value_block(const Key& key, const Settings& settings, std::size_t indent) {
  const std::string block = std::visit(Block{settings, indent}, key.value);
  return block.empty() ? " " + value_text(key, settings) : block;
}

}  // namespace nfold::input
