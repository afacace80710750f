// Comparison of two lists by the values of their keys.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/list_changes.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>

#include "core/document/long_document.hpp"
#include "core/input_error.hpp"
#include "input/batch_file.hpp"

namespace nfold::batch {
namespace {

using Values = std::map<std::string, std::string>;  // text by key

/// Adds the scalars of a node, with keys such as "input.dynamics.steps" and "chains[0]".
void add_values(const document::InputNode& node, const std::string& key, Values& values) {
  if (node.items.empty()) values[key] = node.text;
  for (std::size_t k = 0; k < node.items.size(); ++k) {
    const auto item_key = node.kind == document::NodeKind::list
                              ? fmt::format("{}[{}]", key, k)
                              : (key.empty() ? "" : key + ".") + node.entry_names[k].text;
    add_values(node.items[k], item_key, values);
  }
}

/// Returns "KEY: OLD -> NEW, ..." for keys whose values differ.
std::string describe_changed_values(const Values& before, const Values& now) {
  const auto value_of = [](const Values& values, const std::string& key) {
    const auto found = values.find(key);
    return found == values.end() ? "not set" : found->second;
  };
  Values both = before;
  both.insert(now.begin(), now.end());
  std::string text;
  for (const auto& [key, value] : both) {
    const auto old_value = value_of(before, key), new_value = value_of(now, key);
    if (old_value == new_value) continue;
    text += fmt::format("{}{}: {} -> {}", text.empty() ? "" : ", ", key, old_value, new_value);
  }
  return text;
}

struct ListValues {
  Values common;                          // keys of all targets
  std::map<std::string, Values> targets;  // by name
};
ListValues read_list(std::string_view text, const std::string& file) {
  ListValues list;
  const auto root = document::read_long_document(text, file);
  for (std::size_t k = 0; k < root.items.size(); ++k) {
    const auto& name = root.entry_names[k].text;
    if (name != "targets") add_values(root.items[k], name, list.common);
  }
  for (const auto& target : input::parse_batch(text, file).targets) {
    add_values(target.entry, "", list.targets[target.name]);
  }
  return list;
}

/// Returns "targets WHAT: a, b" for the targets of `all` that `others` lacks. Empty if none.
std::string describe_missing(const ListValues& all, const ListValues& others, const char* what) {
  constexpr int most_named = 10;
  std::string names;
  int count = 0;
  for (const auto& [name, values] : all.targets) {
    if (others.targets.contains(name)) continue;
    if (++count <= most_named) names += (count == 1 ? "" : ", ") + name;
  }
  if (count > most_named) names += fmt::format(" and {} more", count - most_named);
  return count == 0 ? "" : fmt::format("targets {}: {}", what, names);
}

}  // namespace

std::vector<std::string> describe_list_changes(std::string_view before_text,
                                               std::string_view now_text, const std::string& file) {
  constexpr std::size_t most_changes = 20;
  if (before_text == now_text) return {};
  ListValues before;
  try {
    before = read_list(before_text, file);
  } catch (const core::InputError&) {
    return {};  // written by another version, or torn
  }
  const auto now = read_list(now_text, file);
  std::vector<std::string> changes{describe_missing(now, before, "added"),
                                   describe_missing(before, now, "removed"),
                                   describe_changed_values(before.common, now.common)};
  for (const auto& [name, values] : now.targets) {
    const auto old = before.targets.find(name);
    if (old == before.targets.end() || old->second == values) continue;
    changes.push_back(
        fmt::format("target '{}': {}", name, describe_changed_values(old->second, values)));
  }
  std::erase(changes, "");
  if (changes.size() > most_changes) {
    const auto more = changes.size() - most_changes;
    changes.resize(most_changes);
    changes.push_back(fmt::format("{} more changes", more));
  }
  return changes;
}

}  // namespace nfold::batch
