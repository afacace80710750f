// Help on keys, and the input reference.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/reference.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <regex>

#include "core/input_error.hpp"
#include "core/text.hpp"
#include "core/text_table.hpp"
#include "input/batch_file.hpp"
#include "input/keys.hpp"
#include "input/nearest.hpp"

namespace nfold::input {

namespace {

constexpr std::size_t help_columns = 80;

template <class Owner>
void add_key(const document::KeyOf<Owner>& key, std::string_view name, core::TextTable& table) {
  table.add({std::string(name),
             accepted_text(key) + (key.required ? "; " : "; default ") + default_text(key)});
}

template <class Owner>
std::string key_help(const document::KeyOf<Owner>& key, std::string_view name) {
  const bool may_change = key.on_resume == document::OnResume::allow;
  std::string text = fmt::format("{}\n{}  takes:    {}\n  default:  {}\n  resume:   {}\n", name,
                                 wrapped(key.help, 2), accepted_text(key), default_text(key),
                                 may_change ? "may change" : "must be as in the checkpoint");
  if (name != "system.species") return text;
  core::TextTable table;
  for (const auto& inner : species_keys()) add_key(inner, inner.name, table);
  return text + table.text();
}

/// Calls visit(key, name) for all keys, those of species included.
template <class Visit>
void for_each_key(const Visit& visit) {
  for (const auto& key : all_keys()) visit(key, std::string(key.name));
  for (const auto& key : species_keys()) {
    visit(key, fmt::format("system.species[].{}", key.name));
  }
}

std::string section_help(const Section& section) {
  core::TextTable table;
  for (const auto& inner : all_sections()) {
    if (section_name(inner.name) == section.name) {
      table.add({std::string(last_part(inner.name)),
                 fmt::format("a section: nfold help {}", inner.name)});
    }
  }
  for (const auto& key : all_keys()) {
    if (section_name(key.name) != section.name) continue;
    add_key(key, last_part(key.name), table);
  }
  return fmt::format("{}\n{}{}", section.name, wrapped(section.help, 2), table.text());
}

/// Escapes a text for a cell of a Markdown table.
std::string cell(std::string text) {
  for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
    text.insert(at, 1, '\\');
  }
  return text;
}

constexpr std::string_view table_head =
    "| key | takes | default | meaning | on a resume |\n| --- | --- | --- | --- | --- |\n";

template <class Owner>
std::string table_row(const document::KeyOf<Owner>& key, std::string_view name) {
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", name, cell(accepted_text(key)),
                     cell(default_text(key)), cell(std::string(key.help)),
                     key.on_resume == document::OnResume::allow ? "may change" : "fixed");
}

/// Returns help on keys whose names contain the word, and a list of keys that mention it.
std::string help_on_mentions(std::string_view word) {
  constexpr std::size_t shortest_word = 3;  // "a" would match nearly every key
  const std::string sought = core::to_lower(word);
  if (sought.size() < shortest_word) return {};
  std::string named, mentioned;
  for_each_key([&](const auto& key, const std::string& name) {
    if (name.find(sought) != std::string::npos) {
      named += (named.empty() ? "" : "\n") + key_help(key, name);
    } else if (core::to_lower(key.help).find(sought) != std::string::npos) {
      mentioned += "  " + name + "\n";
    }
  });
  if (mentioned.empty()) return named;
  return fmt::format("{}{}Keys whose explanations mention '{}'; nfold help KEY shows one:\n{}",
                     named, named.empty() ? "" : "\n", word, mentioned);
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result, line;
  const auto flush = [&] {
    if (!line.empty()) result += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const auto word = text.substr(0, text.find(' '));
    if (!line.empty() && indent + line.size() + 1 + word.size() > help_columns) flush();
    if (!line.empty()) line += ' ';
    line += word;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  flush();
  return result;
}

std::string help_overview() {
  std::string text = "Sections of an input file:\n";
  for (const auto& section : all_sections()) {
    text += fmt::format("  {}\n{}", section.name, wrapped(section.help, 4));
  }
  return text +
         "nfold help SECTION lists its keys, nfold help KEY says what a key takes, nfold help WORD "
         "finds\nthe keys that have the word or a topic (rg, pbc, dt, slurm, xtc, replica "
         "exchange); nfold help\n--reference prints everything; nfold help batch explains the list "
         "of targets of nfold batch; nfold\n--help lists the commands.\n";
}

std::string help_on_name(std::string_view topic) {
  if (topic == "batch") return batch_help();
  std::string text;
  const auto append = [&](const std::string& part) { text += (text.empty() ? "" : "\n") + part; };
  // Replaces the index of a list entry, as in system.species[0].sequence.
  const std::string any_entry =
      std::regex_replace(std::string(topic), std::regex("\\[[0-9]+\\]"), "[]");
  const auto is_meant = [&](std::string_view name) {
    return name == any_entry || last_part(name) == topic;
  };
  for (const auto& section : all_sections()) {
    if (is_meant(section.name)) append(section_help(section));
  }
  for_each_key([&](const auto& key, const std::string& name) {
    if (is_meant(name)) append(key_help(key, name));
  });
  return text;
}

std::string help_topic(std::string_view topic) {
  std::string text = help_on_name(topic);
  if (text.empty()) text = help_on_mentions(topic);
  if (!text.empty()) return text;
  std::string remedy = "'nfold help' lists the sections and guides";
  const std::string nearest = nearest_key({}, topic);
  if (!nearest.empty()) remedy = fmt::format("did you mean '{}'? {}", nearest, remedy);
  throw core::InputError({"nfold help", 0, 0}, fmt::format("no key or section '{}'", topic),
                         remedy);
}

std::string reference_markdown() {
  std::string text =
      "# Input reference\n\n"
      "Made by `nfold help --reference` from the table that the parser itself uses. An input is "
      "YAML:\n`section.key` is `key` below `section:`. On the command line, `--set "
      "section.key=value` "
      "replaces a value.\nA resume refuses a changed key unless the last column says *may "
      "change*.\n";
  for (const auto& section : all_sections()) {
    text += fmt::format("\n## `{}`\n\n{}\n\n", section.name, section.help);
    text += table_head;
    for (const auto& key : all_keys()) {
      if (section_name(key.name) == section.name) text += table_row(key, last_part(key.name));
    }
    if (section.name != "system") continue;
    text += fmt::format("\n### `system.species[]`\n\nThe keys of each entry.\n\n{}", table_head);
    for (const auto& key : species_keys()) text += table_row(key, key.name);
  }
  return text;
}

}  // namespace nfold::input
