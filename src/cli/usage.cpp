// First steps, nearest commands and options, repeated values of --set.
// SPDX-License-Identifier: BSD-3-Clause

#include "cli/usage.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "core/nearest.hpp"
#include "input/keys.hpp"

namespace nfold::cli {
namespace {

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto nearest = core::nearest_word(word, views);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

/// Returns the first section of a key, "dynamics" for "dynamics.steps", also for nested sections.
std::string_view first_part(std::string_view key) { return key.substr(0, key.find('.')); }

bool is_value_of_a_key(std::string_view word) {
  const auto equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const auto key = word.substr(0, equals);
  const bool of_a_section =
      key.find('.') != std::string_view::npos && input::find_section(first_part(key)) != nullptr;
  std::error_code error;
  return of_a_section && !std::filesystem::exists(std::filesystem::path(word), error);
}

/// True for a chain, residue ranges of a chain, or NAME=either. False if the word resembles a file
/// or one exists.
bool is_part_of_structure(std::string_view word) {
  if (word.empty() || word.starts_with('-')) return false;
  const auto value = word.substr(word.find('=') + 1);  // npos + 1 is 0
  const auto name = value.substr(0, value.find(':'));
  std::error_code error;
  return name.find_first_of("./\\") == std::string_view::npos &&
         !std::filesystem::exists(std::filesystem::path(name), error);
}

/// Suggests "--set dynamics.steps=1000" for "--steps 1000".
std::string suggest_key(const CLI::App& command, std::string name) {
  if (command.get_option_no_throw("--set") == nullptr) return "";
  name.erase(0, name.find_first_not_of('-'));
  std::replace(name.begin(), name.end(), '-', '_');
  const auto& keys = input::all_keys();
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const auto& one) {
    return one.name == name || input::last_part(one.name) == name;
  });
  if (key == keys.end()) return "";
  return "; did you mean '--set " + std::string(key->name) + "=...'?";
}

}  // namespace

std::string first_steps() {
  return "Three commands to begin with, for the protein in 1ubq.pdb:\n"
         "  nfold prepare 1ubq.pdb   writes 1ubq.yaml, an input file, from a structure or FASTA\n"
         "  nfold check 1ubq.yaml    reports what the run would do, and what would stop it\n"
         "  nfold run 1ubq.yaml      simulates into 1ubq.out/; the same command goes on after a "
         "stop\n";
}

std::string suggest_command(const CLI::App& app, std::string_view word) {
  const std::string option = "--" + std::string(word);
  if (app.get_option_no_throw(option) != nullptr) return "; did you mean '" + option + "'?";
  std::vector<std::string> known;
  for (const auto* command : app.get_subcommands(nullptr)) known.push_back(command->get_name());
  return did_you_mean(word, known);
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::string suggest_option(const CLI::App& command, const std::vector<std::string>& words) {
  const auto known = option_names(command);
  for (const auto& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const bool is_option = name.size() > 2 && name.starts_with('-');
    if (!is_option || std::find(known.begin(), known.end(), name) != known.end()) continue;
    // "-overwrite" is "--overwrite" with a hyphen too few.
    const auto option = did_you_mean(name.starts_with("--") ? name : "-" + name, known);
    return option.empty() ? suggest_key(command, name) : option;
  }
  return "";
}

std::vector<std::string> repeat_list_options(std::span<const char* const> words) {
  struct List {
    std::string_view option;
    bool (*may_follow)(std::string_view word);
  };
  constexpr std::array lists{List{"--set", is_value_of_a_key},
                             List{"--chains", is_part_of_structure},
                             List{"--domains", is_part_of_structure}};
  std::vector<std::string> all;
  const List* list = nullptr;  // set while the preceding argument is a value of this option
  bool is_value = false;
  for (const char* text : words) {
    const std::string word(text);
    const bool goes_on = list != nullptr && (is_value || list->may_follow(word));
    if (!goes_on) list = nullptr;
    if (goes_on && !is_value) all.emplace_back(list->option);
    is_value = false;
    for (const auto& one : lists) {
      if (goes_on || (word != one.option && !word.starts_with(std::string(one.option) + "=")))
        continue;
      list = &one;
      is_value = word == one.option;
    }
    all.push_back(word);
  }
  return all;
}

}  // namespace nfold::cli
