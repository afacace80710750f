// The text of an input file as a tree of nodes that know where they stand.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nfold::document {

/// Larger inputs are refused unread: the longest real one has some kilobytes.
inline constexpr std::size_t largest_input_bytes = 1 << 20;

enum class NodeKind { nothing, scalar, list, map };

/// A YAML node; `line` and `column` count from 1.
struct InputNode {
  NodeKind kind = NodeKind::nothing;
  int line = 0, column = 0;
  std::string text;              // of a scalar
  std::vector<InputNode> items;  // of a list; of a map: the values, in the order of the file
  std::vector<InputNode>
      entry_names;  // of a map: scalars, one for each of `items`, no two the same
};

/// Parses one YAML document whose root is a map or empty. `file` names it in errors. Anchors,
/// aliases, tags, duplicate keys and deep nesting are errors, as are bytes that are no text.
/// Throws InputError.
[[nodiscard]] InputNode read_document(std::string_view text, const std::string& file);

/// Parses the value of --set. Throws InputError with `origin` as the place.
[[nodiscard]] InputNode read_value(std::string_view text, const std::string& origin);

}  // namespace nfold::document
