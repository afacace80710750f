// Table of input keys, the source of parser, help, reference, writer and comparison.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "core/document/keys.hpp"
#include "input/settings.hpp"

namespace nfold::input {

// A key belongs to an owner: Settings, SpeciesSettings for a key of a species, BiasSettings for a
// key of a further bias.
using Key = document::KeyOf<Settings>;
using SpeciesKey = document::KeyOf<SpeciesSettings>;
using BiasKey = document::KeyOf<BiasSettings>;

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
[[nodiscard]] std::span<const document::KeyOf<Entry>> entry_keys() {
  if constexpr (std::is_same_v<Entry, SpeciesSettings>) {
    return species_keys();
  } else {
    return bias_entry_keys();
  }
}
/// True for a key whose value is a list of sections: system.species and bias.more.
[[nodiscard]] bool is_section_list(const Key& key);
/// Returns visit(list) for the entries of such a key. `settings` may be const.
template <class AnySettings, class Visit>
auto with_entries(const Key& key, AnySettings& settings, const Visit& visit) {
  return key.name == "system.species" ? visit(settings.system.species)
                                      : visit(settings.more_biases);
}
/// Finds a key by its full name. Returns nullptr if there is none.
[[nodiscard]] const Key* find_key(std::string_view name);
[[nodiscard]] const Section* find_section(std::string_view name);
/// True for a key of earlier versions, which is accepted without effect.
[[nodiscard]] bool is_removed_key(std::string_view name);
/// Returns the section, "force_field.contacts" for "force_field.contacts.map"; empty at the top
/// level.
[[nodiscard]] std::string_view section_name(std::string_view name);
/// Returns the last part, "map" for "force_field.contacts.map".
[[nodiscard]] std::string_view last_part(std::string_view name);

/// Returns the value as YAML: shortest decimals that read back as the same double, texts in quotes.
template <class Owner>
[[nodiscard]] std::string value_text(const document::KeyOf<Owner>& key, const Owner& owner) {
  return document::format_value(key.field.rule, key.field.get(owner));
}
[[nodiscard]] std::string value_text(const Key& key, const Settings& settings);
/// Returns the text after "key:" in a file for people: " VALUE", or for a list of sections a line
/// for each key that differs from its default, indented by `indent` blanks.
[[nodiscard]] std::string value_block(const Key& key, const Settings& settings, std::size_t indent);
/// Returns the default in the format of value_text, its description if it depends on another key,
/// or "required".
template <class Owner>
[[nodiscard]] std::string default_text(const document::KeyOf<Owner>& key) {
  if (key.required) {
    return key.alternative_key.empty() ? "required"
                                       : "required, or " + std::string(key.alternative_key);
  }
  if (!key.default_text.empty()) return std::string(key.default_text);
  return value_text(key, Owner{});
}

}  // namespace nfold::input
