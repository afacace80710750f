// Texts of values of settings, lists of sections included.
// SPDX-License-Identifier: BSD-3-Clause

#include <fmt/format.h>

#include <variant>
#include <vector>

#include "input/keys.hpp"

namespace nfold::input {

namespace {

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

bool is_section_list(const Key& key) {
  return std::holds_alternative<document::SectionListRule>(key.field.rule);
}

std::string value_text(const Key& key, const Settings& settings) {
  if (!is_section_list(key)) return document::format_value(key.field.rule, key.field.get(settings));
  return with_entries(key, settings, [](const auto& list) {
    std::vector<std::string> entries;
    entries.reserve(list.size());
    for (const auto& entry : list) {
      entries.push_back(fmt::format("{{{}}}", fmt::join(given_lines(entry), ", ")));
    }
    return fmt::format("[{}]", fmt::join(entries, ", "));
  });
}

std::string value_block(const Key& key, const Settings& settings, std::size_t indent) {
  std::string block;
  if (is_section_list(key)) {
    with_entries(key, settings, [&](const auto& list) {
      for (const auto& entry : list) {
        std::string mark = "- ";
        for (const std::string& line : given_lines(entry)) {
          block += fmt::format("\n{}{}{}", std::string(indent, ' '), mark, line);
          mark = "  ";
        }
      }
    });
  }
  return block.empty() ? " " + value_text(key, settings) : block;
}

}  // namespace nfold::input
