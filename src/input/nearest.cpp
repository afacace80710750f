// Suffixes of units and the nearest key.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/nearest.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "core/nearest.hpp"
#include "input/keys.hpp"

namespace nfold::input {

namespace {

constexpr std::array<std::string_view, 46> unit_suffixes{
    "_nm",         "_pm",      "_angstrom", "_angstroms", "_a",          "_um",       "_m",
    "_ps",         "_fs",      "_ns",       "_us",        "_s",          "_tau",      "_kelvin",
    "_k",          "_celsius", "_c",        "_amu",       "_da",         "_g_mol",    "_kj_mol",
    "_kcal",       "_kj",      "_kcal_mol", "_ev",        "_per_ps",     "_per_fs",   "_per_ns",
    "_steps",      "_minutes", "_seconds",  "_hours",     "_per_nm2",    "_per_rad2", "_kj_mol_nm",
    "_kj_mol_nm2", "_per_nm",  "_per_a",    "_molar",     "_millimolar", "_mm",       "_mol_l",
    "_mg_per_ml",  "_mg_ml",   "_g_l",      "_e"};

std::string_view without_unit(std::string_view name) {
  return name.substr(0, name.size() - unit_suffix(name).size());
}

/// Returns the edit distance between `name` and the typed text; 0 if only the units differ.
std::size_t key_distance(std::string_view typed, std::string_view name) {
  if (without_unit(typed) == without_unit(name)) return 0;
  return std::min(core::edit_distance(typed, name),
                  1 + core::edit_distance(without_unit(typed), without_unit(name)));
}

}  // namespace

std::string_view unit_suffix(std::string_view name) {
  std::string_view longest;
  for (const auto suffix : unit_suffixes) {
    if (name.size() > suffix.size() && name.ends_with(suffix) && suffix.size() > longest.size()) {
      longest = suffix;
    }
  }
  return longest.empty() ? longest : name.substr(name.size() - longest.size());
}

std::string nearest_key(std::string_view section, std::string_view name) {
  if (name.size() > core::longest_word) return {};
  const std::string_view home = section.empty() ? section_name(name) : section;
  std::string_view best;
  std::size_t best_distance = std::numeric_limits<std::size_t>::max();
  bool best_at_home = false;
  const auto consider = [&](std::string_view full) {
    // A long section must not make a last part near that is not near by itself.
    const auto distance =
        std::min(key_distance(last_part(name), last_part(full)), core::edit_distance(name, full));
    if (!core::is_near(distance, last_part(name).size())) return;
    const bool at_home = section_name(full) == home;
    if (distance > best_distance) return;
    if (distance == best_distance && (best_at_home || !at_home)) return;
    best = full;
    best_distance = distance;
    best_at_home = at_home;
  };
  for (const auto& key : all_keys()) consider(key.name);
  for (const auto& known : all_sections()) consider(known.name);
  return std::string(best);
}

}  // namespace nfold::input
