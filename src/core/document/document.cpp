// Tree of nodes from YAML events; the only file that includes yaml-cpp.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/document/document.hpp"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>
#include <utility>

#include "core/document/long_document.hpp"
#include "core/document/text_check.hpp"
#include "core/input_error.hpp"

namespace nfold::document {

namespace {

constexpr std::size_t deepest_nesting = 8;  // input keys need 3
constexpr std::size_t largest_map = 1000;   // input sections need 20; duplicates cost the square

/// Builds the tree from the parser's events. YAML::Node is not used because it resolves aliases
/// (exponentially in the worst case), keeps both of two equal keys and loses the position of keys.
class TreeBuilder : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::string file) : file_(std::move(file)) {}

  InputNode take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      refuse_at(mark, "a second YAML document starts here",
                "an input is one document: remove '---'");
    }
  }
  void OnDocumentEnd() override {}
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    refuse_at(mark, fmt::format("anchor '&{}'", name), "write the value out where it is needed");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    refuse_at(mark, "an alias ('*')", "write the value out where it is needed");
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    add(node_at(mark, NodeKind::nothing));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    check_tag(mark, tag);
    InputNode node = node_at(mark, NodeKind::scalar);
    node.text = value;
    add(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, NodeKind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, NodeKind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  static InputNode node_at(const YAML::Mark& mark, NodeKind kind) {
    InputNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }
  [[noreturn]] void refuse_at(const YAML::Mark& mark, std::string problem,
                              std::string remedy) const {
    throw core::InputError({file_, mark.line + 1, mark.column + 1}, std::move(problem),
                           std::move(remedy));
  }
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    // "?" is a plain value, "!" one in quotes.
    if (tag.empty() || tag == "?" || tag == "!") return;
    refuse_at(mark, fmt::format("tag '{}'", tag), "remove it: each key has its own type");
  }
  void open(const YAML::Mark& mark, const std::string& tag, NodeKind kind) {
    check_tag(mark, tag);
    if (open_.size() == deepest_nesting) {
      refuse_at(mark, fmt::format("more than {} levels of nesting", deepest_nesting),
                "no key stands that deep");
    }
    open_.push_back(node_at(mark, kind));
  }
  void close() {
    InputNode node = std::move(open_.back());
    open_.pop_back();
    add(std::move(node));
  }
  void add(InputNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    InputNode& parent = open_.back();
    if (parent.kind == NodeKind::list || parent.entry_names.size() > parent.items.size()) {
      parent.items.push_back(std::move(node));
    } else {
      add_name(parent, std::move(node));
    }
  }
  void add_name(InputNode& map, InputNode name) const {
    if (name.kind != NodeKind::scalar) {
      throw core::InputError({file_, name.line, name.column}, "a key that is not a plain name",
                             "write 'key: value'");
    }
    if (map.entry_names.size() == largest_map) {
      throw core::InputError({file_, name.line, name.column},
                             fmt::format("more than {} keys in a section", largest_map),
                             "is this the right file?");
    }
    for (const auto& other : map.entry_names) {
      if (other.text == name.text) {
        throw core::InputError({file_, name.line, name.column},
                               fmt::format("key '{}' for the second time", name.text),
                               fmt::format("it stands in line {} already; keep one", other.line));
      }
    }
    map.entry_names.push_back(std::move(name));
  }

  std::string file_;
  int documents_ = 0;
  std::vector<InputNode> open_;  // open maps and lists, outermost first
  InputNode root_;
};

InputNode parse(std::string_view text, const std::string& file) {
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(file);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const bool has_position = !error.mark.is_null();
    throw core::InputError(
        {file, has_position ? error.mark.line + 1 : 0, has_position ? error.mark.column + 1 : 0},
        "not valid YAML: " + error.msg, "check indentation, colons, quotes and brackets here");
  }
  return builder.take_root();
}

InputNode read_root(std::string_view text, const std::string& file, std::size_t most_bytes) {
  InputNode root = parse(checked_text(text, file, most_bytes), file);
  if (root.kind == NodeKind::scalar || root.kind == NodeKind::list) {
    throw core::InputError({file, root.line, root.column},
                           root.kind == NodeKind::list ? "a list" : "a text without a key",
                           "an input starts with the name of a section, as in 'system:'");
  }
  return root;
}

}  // namespace

const InputNode* find_entry(const InputNode& map, std::string_view key) {
  for (std::size_t i = 0; i < map.entry_names.size(); ++i) {
    if (map.entry_names[i].text == key) return &map.items[i];
  }
  return nullptr;
}

InputNode read_document(std::string_view text, const std::string& file) {
  return read_root(text, file, largest_input_bytes);
}

InputNode read_long_document(std::string_view text, const std::string& file) {
  return read_root(text, file, largest_list_bytes);
}

InputNode read_value(std::string_view text, const std::string& origin) {
  try {
    return parse(checked_text(text, origin, largest_input_bytes), origin);
  } catch (const core::InputError& error) {
    auto problems = error.problems();
    for (auto& problem : problems) problem.position = {origin, 0, 0};
    throw core::InputError(std::move(problems));
  }
}

}  // namespace nfold::document
