// Settings of a built-in system: the keys that --set may change; published sequences.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "cli/bench/builtin_files.hpp"
#include "cli/bench/systems.hpp"
#include "core/refusal.hpp"
#include "input/input.hpp"
#include "input/keys.hpp"
#include "model/structure/fasta.hpp"

namespace nfold::bench {

input::Settings BenchSystem::settings(const std::vector<std::string>& overrides) const {
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
  return input::parse_input(input_text, "nfold bench, system " + name, overrides);
}

std::string published_sequence(const std::string& record) {
  const std::string file = "sequences.fasta";
  return structure::find_record(structure::parse_fasta(published_sequences(), file), record, file)
      .sequence;
}

}  // namespace nfold::bench
