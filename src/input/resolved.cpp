// Writing of settings as YAML, and comparison of two settings.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <algorithm>

#include "input/input.hpp"
#include "input/keys.hpp"

namespace nfold::input {

std::string write_input(const Settings& settings) {
  std::string text;
  for (const auto& section : all_sections()) {
    const auto depth =
        static_cast<std::size_t>(std::count(section.name.begin(), section.name.end(), '.'));
    text += fmt::format("{}{}:\n", std::string(2 * depth, ' '), last_part(section.name));
    for (const auto& key : all_keys()) {
      if (section_name(key.name) != section.name) continue;
      text += fmt::format("{}{}:{}\n", std::string(2 * depth + 2, ' '), last_part(key.name),
                          value_block(key, settings, 2 * depth + 4));
    }
  }
  return text;
}

std::vector<ChangedKey> changed_keys(const Settings& before, const Settings& now) {
  std::vector<ChangedKey> changed;
  for (const auto& key : all_keys()) {
    std::string old_value = value_text(key, before), new_value = value_text(key, now);
    if (old_value == new_value) continue;
    changed.push_back({std::string(key.name), std::move(old_value), std::move(new_value),
                       key.on_resume == document::OnResume::allow});
  }
  return changed;
}

}  // namespace nfold::input
