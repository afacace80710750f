// Table of input keys, the source of parser, help, reference, writer and comparison.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "input/settings.hpp"

namespace nfold::input {

// A value belongs to an Owner, the struct that holds its field: Settings for a key, SpeciesSettings
// for a key of a species, BiasSettings for a key of a further bias.

/// A finite number. `at_least` itself is allowed unless `above` is set.
template <class Owner>
struct RealValueOf {
  double (*get)(const Owner&);
  void (*set)(Owner&, double);
  double at_least, at_most;
  bool above = false;  ///< strictly more than at_least
};
/// A list of finite numbers; a single number counts as a list of one.
template <class Owner>
struct RealListValueOf {
  const std::vector<double>& (*get)(const Owner&);
  void (*set)(Owner&, const std::vector<double>&);
  double at_least, at_most;
  std::span<const std::size_t> sizes;  ///< allowed lengths of the list; empty: any length
};
/// A non-negative integer.
template <class Owner>
struct IntegerValueOf {
  std::uint64_t (*get)(const Owner&);
  void (*set)(Owner&, std::uint64_t);
  std::uint64_t at_least, at_most;
};
/// A list of integers; a single number counts as a list of one.
template <class Owner>
struct IntegerListValueOf {
  const std::vector<std::int64_t>& (*get)(const Owner&);
  void (*set)(Owner&, const std::vector<std::int64_t>&);
  std::uint64_t at_least, at_most;
};
/// A text without control characters, and without blanks if without_blanks is set.
template <class Owner>
struct TextValueOf {
  const std::string& (*get)(const Owner&);
  void (*set)(Owner&, const std::string&);
  bool without_blanks = false;
};
/// A list of non-empty texts; a single text counts as a list of one.
template <class Owner>
struct TextListValueOf {
  const std::vector<std::string>& (*get)(const Owner&);
  void (*set)(Owner&, const std::vector<std::string>&);
};
/// A boolean, true or false.
template <class Owner>
struct FlagValueOf {
  bool (*get)(const Owner&);
  void (*set)(Owner&, bool);
};
/// An alternative name that is read but never written.
struct Synonym {
  std::string_view name, means;
};
/// One of several names. The index of the name in the list is the enumerator's value.
template <class Owner>
struct ChoiceValueOf {
  std::size_t (*get)(const Owner&);
  void (*set)(Owner&, std::size_t);
  std::span<const std::string_view> names;
  std::span<const Synonym> synonyms = {};
};
/// A list of sections, an Entry each, with the keys of entry_keys<Entry>().
template <class Entry>
struct SectionListValue {
  const std::vector<Entry>& (*get)(const Settings&);
  void (*set)(Settings&, const std::vector<Entry>&);
};
using SpeciesListValue = SectionListValue<SpeciesSettings>;
using BiasListValue = SectionListValue<BiasSettings>;

template <class Owner>
using ValueOf =
    std::variant<RealValueOf<Owner>, RealListValueOf<Owner>, IntegerValueOf<Owner>,
                 IntegerListValueOf<Owner>, TextValueOf<Owner>, TextListValueOf<Owner>,
                 FlagValueOf<Owner>, ChoiceValueOf<Owner>, SpeciesListValue, BiasListValue>;

/// Rule for a resume whose input has another value than the checkpoint.
enum class OnResume { refuse, allow };

template <class Owner>
struct KeyOf {
  std::string_view name;  ///< "dynamics.time_step_ps"; for a species "copies"
  ValueOf<Owner> value;
  std::string_view unit;  ///< "ps"; empty for pure numbers, texts and choices
  OnResume on_resume;
  std::string_view help;  ///< one or two sentences, with the source if there is one
  bool required = false;
  std::string_view default_text = {};  ///< set if the default depends on another key
  std::string_view instead = {};       ///< a key that may replace this one if it is required
};
using Key = KeyOf<Settings>;
using SpeciesKey = KeyOf<SpeciesSettings>;
using BiasKey = KeyOf<BiasSettings>;

struct Section {
  std::string_view name;  ///< "force_field.contacts"
  std::string_view help;
};

/// Returns all keys in the order of the reference; keys of a section are adjacent.
[[nodiscard]] std::span<const Key> all_keys();
[[nodiscard]] std::span<const Section> all_sections();
/// Returns the keys of an entry of system.species.
[[nodiscard]] std::span<const SpeciesKey> species_keys();
/// Returns the keys of an entry of bias.more.
[[nodiscard]] std::span<const BiasKey> bias_entry_keys();
template <class Entry>
[[nodiscard]] std::span<const KeyOf<Entry>> entry_keys() {
  if constexpr (std::is_same_v<Entry, SpeciesSettings>) {
    return species_keys();
  } else {
    return bias_entry_keys();
  }
}
/// Finds a key by its full name. Returns nullptr if there is none.
[[nodiscard]] const Key* find_key(std::string_view name);
[[nodiscard]] const Section* find_section(std::string_view name);
/// Finds a key of an entry by its name. Returns nullptr if there is none.
template <class Entry>
[[nodiscard]] const KeyOf<Entry>* find_entry_key(std::string_view name) {
  const auto keys = entry_keys<Entry>();
  const auto found = std::ranges::find(keys, name, &KeyOf<Entry>::name);
  return found == keys.end() ? nullptr : &*found;
}
/// Returns the section, "force_field.contacts" for "force_field.contacts.map"; empty at the top
/// level.
[[nodiscard]] std::string_view section_name(std::string_view name);
/// Returns the last part, "map" for "force_field.contacts.map".
[[nodiscard]] std::string_view last_part(std::string_view name);

/// Describes the accepted values: "a number > 0 and <= 1 [ps]", "one of mixed, double".
[[nodiscard]] std::string accepted_text(const Key& key);
[[nodiscard]] std::string accepted_text(const SpeciesKey& key);
[[nodiscard]] std::string accepted_text(const BiasKey& key);
/// Returns the value as YAML: shortest decimals that read back as the same double, texts in quotes.
[[nodiscard]] std::string value_text(const Key& key, const Settings& settings);
[[nodiscard]] std::string value_text(const SpeciesKey& key, const SpeciesSettings& species);
[[nodiscard]] std::string value_text(const BiasKey& key, const BiasSettings& bias);
/// Returns the text after "key:" in a file for people: " VALUE", or for a list of sections a line
/// for each key that differs from its default, indented by `indent` blanks.
[[nodiscard]] std::string value_block(const Key& key, const Settings& settings, std::size_t indent);
/// Returns the default in the format of value_text, its description if it depends on another key,
/// or "required".
[[nodiscard]] std::string default_text(const Key& key);
[[nodiscard]] std::string default_text(const SpeciesKey& key);

}  // namespace nfold::input
