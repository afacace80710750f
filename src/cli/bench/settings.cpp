// Settings of a built-in system: its input text, and the keys that --set may change.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/bench/systems.hpp"
#include "core/refusal.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"

namespace nfold::bench {

input::Settings bench_settings(const std::string& name, const std::string& text,
                               const std::vector<std::string>& overrides) {
  constexpr std::array<std::string_view, 4> free_sections{"dynamics.", "neighbour_list.",
                                                          "partition.", "devices."};
  for (const auto& option : overrides) {
    const auto key = std::string_view(option).substr(0, option.find('='));
    const bool is_free = std::any_of(free_sections.begin(), free_sections.end(),
                                     [key](auto section) { return key.starts_with(section); });
    if (is_free || input::find_key(key) == nullptr) continue;  // the parser reports unknown keys
    core::refuse(
        "--set " + option, fmt::format("the systems of the suite are fixed, '{}' with them", key),
        "give keys of dynamics, neighbour_list, partition or devices, or measure an INPUT.yaml "
        "of your own");
  }
  return input::parse_input(text, "nfold bench, system " + name, overrides);
}

}  // namespace nfold::bench
