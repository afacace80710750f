// Text of an input file as a tree of nodes with their positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::document {

/// Largest input that is read; real inputs have a few kilobytes.
inline constexpr std::size_t largest_input_bytes = 1 << 20;

enum class NodeKind { nothing, scalar, list, map };

/// A YAML node; `line` and `column` count from 1.
struct InputNode {
  NodeKind kind = NodeKind::nothing;
  int line = 0, column = 0;
  int source = 0;    // 0: the text that is read; else one added by SectionReader::add_source()
  std::string text;  // a scalar's text
  std::vector<InputNode> items;        // items of a list; values of a map, in the order of the file
  std::vector<InputNode> entry_names;  // names in a map: scalars, one for each of `items`, unique
};

/// Returns the value of a key in a map; null if there is none, or if the node is no map.
[[nodiscard]] const InputNode* find_entry(const InputNode& map, std::string_view key);

/// Parses one YAML document whose root is a map or empty. `file` names it in errors. Throws
/// InputError for anchors, aliases, tags, duplicate keys, deep nesting and bytes that are no text.
[[nodiscard]] InputNode read_document(std::string_view text, const std::string& file);

/// Parses the value of --set. Throws InputError with `origin` as the position.
[[nodiscard]] InputNode read_value(std::string_view text, const std::string& origin);

}  // namespace nfold::document
