// The table of input keys: from it come parser, help, reference, writer and comparison.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.hpp"

namespace nfold::config {

/// A finite number; `at_least` is itself allowed unless `above` is set.
struct RealValue {
  double (*get)(const Settings&);
  void (*set)(Settings&, double);
  double at_least, at_most;
  bool above = false;  ///< strictly more than at_least
};
/// A whole number; none of ours is negative.
struct IntegerValue {
  std::uint64_t (*get)(const Settings&);
  void (*set)(Settings&, std::uint64_t);
  std::uint64_t at_least, at_most;
};
/// A text without control characters.
struct TextValue {
  const std::string& (*get)(const Settings&);
  void (*set)(Settings&, const std::string&);
};
/// A list of texts, none empty; one text alone stands for a list of one.
struct TextListValue {
  const std::vector<std::string>& (*get)(const Settings&);
  void (*set)(Settings&, const std::vector<std::string>&);
};
/// true or false.
struct FlagValue {
  bool (*get)(const Settings&);
  void (*set)(Settings&, bool);
};
/// One of some names; the number is the name's place in the list and the enumerator's value.
struct ChoiceValue {
  std::size_t (*get)(const Settings&);
  void (*set)(Settings&, std::size_t);
  std::span<const std::string_view> names;
};
using Value =
    std::variant<RealValue, IntegerValue, TextValue, TextListValue, FlagValue, ChoiceValue>;

/// Whether a resume may bring another value than the checkpoint holds.
enum class OnResume { refuse, allow };

struct Key {
  std::string_view name;  ///< "dynamics.time_step_ps"
  Value value;
  std::string_view unit;  ///< "ps"; empty for pure numbers, texts and choices
  OnResume on_resume;
  std::string_view help;  ///< one sentence or two, with the source where there is one
  bool required = false;
  std::string_view default_text = {};  ///< where the default depends on another key
};

struct Section {
  std::string_view name;  ///< "force_field.contacts"
  std::string_view help;
};

/// All keys, in the order of the reference; those of a section stand together.
[[nodiscard]] std::span<const Key> all_keys();
[[nodiscard]] std::span<const Section> all_sections();
/// nullptr if there is none of this full name.
[[nodiscard]] const Key* find_key(std::string_view name);
[[nodiscard]] const Section* find_section(std::string_view name);
/// "force_field.contacts" of "force_field.contacts.map"; empty at the top.
[[nodiscard]] std::string_view section_of(std::string_view name);
/// "map" of "force_field.contacts.map".
[[nodiscard]] std::string_view last_part(std::string_view name);

/// "a number > 0 and <= 1 [ps]", "one of mixed, double": what the key takes.
[[nodiscard]] std::string accepted_text(const Key& key);
/// The value as YAML: shortest decimals that read back as the same double, texts in quotes.
[[nodiscard]] std::string value_text(const Key& key, const Settings& settings);
/// The default, as value_text, or in words where it depends on another key; "required" if so.
[[nodiscard]] std::string default_text(const Key& key);

}  // namespace nfold::config
