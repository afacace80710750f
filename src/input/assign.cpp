// Formatting of nodes for messages, and checks of texts.
// SPDX-License-Identifier: BSD-3-Clause

#include "input/assign.hpp"

#include <utility>

namespace nfold::input {

namespace {
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }
}  // namespace

std::string printable(std::string text) {
  constexpr std::size_t most = 60;
  std::replace_if(text.begin(), text.end(), is_control, '?');
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

std::string shown(const document::InputNode& node) {
  switch (node.kind) {
    case document::NodeKind::nothing:
      return "nothing";
    case document::NodeKind::list:
      return "a list";
    case document::NodeKind::map:
      return "a section";
    case document::NodeKind::scalar:
      break;
  }
  return node.text.empty() ? "an empty text" : printable(node.text);
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), is_control);
}

std::string without_blanks(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; };
  text.erase(std::remove_if(text.begin(), text.end(), blank), text.end());
  return text;
}

}  // namespace nfold::input
