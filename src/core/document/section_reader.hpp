// Reader of sections by tables of keys, which collects all problems before it throws.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/document/document.hpp"
#include "core/document/keys.hpp"
#include "core/input_error.hpp"

namespace nfold::document {

/// Position of each key that was given; "system.species[0].copies" in a species.
using GivenKeys = std::map<std::string, core::SourcePosition, std::less<>>;

/// Returns the full name of a key, "gpu.step.launch_us", from the path of its section, which is
/// empty at the top level.
[[nodiscard]] std::string join_path(std::string_view path, std::string_view key);

/// Reader of one or several texts. A key with an invalid value keeps its default, and the problem
/// is collected.
class SectionReader {
 public:
  /// file: named in errors; example: remedy for missing keys, such as "FILE has all keys".
  explicit SectionReader(std::string file, std::string example = {})
      : file_(std::move(file)), example_(std::move(example)) {}

  /// Sets the source of the nodes that follow. A value of --set has no lines.
  void set_source(std::string file, bool has_lines = true) {
    file_ = std::move(file);
    has_lines_ = has_lines;
  }
  /// Adds a text whose nodes stand in the same tree, and returns their InputNode::source.
  int add_source(std::string file) {
    further_files_.push_back(std::move(file));
    return static_cast<int>(further_files_.size());
  }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Returns the position of a node; of the whole source if the node was not read from it.
  [[nodiscard]] core::SourcePosition position(const InputNode& node) const;
  /// Returns the position of an entry's value, or of its name if nothing follows it.
  [[nodiscard]] core::SourcePosition position(const InputNode& name, const InputNode& value) const;

  /// Reads one value of a full name. Returns nullopt, with a problem, if it is not `accepted`.
  std::optional<Value> read_value(const Rule& rule, const std::string& accepted,
                                  const std::string& name, const InputNode& node,
                                  const core::SourcePosition& at);
  template <class Owner>
  void read_key(const KeyOf<Owner>& key, const std::string& name, Owner& owner,
                const InputNode& node, const core::SourcePosition& at) {
    mark_given(name, at);
    const auto value = read_value(key.field.rule, accepted_text(key), name, node, at);
    if (value) key.field.set(owner, *value);
  }
  /// Reads a section by the table of its keys. The caller reads `others`, which may be present too.
  /// Returns true if no problem was found.
  template <class Keys, class Owner>
  bool read_section(const Keys& keys, const InputNode& section, const std::string& path,
                    Owner& owner, std::span<const std::string_view> others = {}) {
    const std::size_t before = problems_.size();
    std::vector<std::string_view> known;
    known.reserve(std::size(keys) + others.size());
    for (const auto& key : keys) known.push_back(key.name);
    known.insert(known.end(), others.begin(), others.end());
    for (std::size_t i = 0; i < section.entry_names.size(); ++i) {
      const InputNode &name = section.entry_names[i], &value = section.items[i];
      const auto place =
          static_cast<std::size_t>(std::ranges::find(known, name.text) - known.begin());
      if (place < std::size(keys)) {
        read_key(keys[place], join_path(path, name.text), owner, value, position(name, value));
      } else if (place == known.size()) {
        complain_unknown(name, path, known);
      }
    }
    for (const auto& key : keys) {
      if (key.required && find_entry(section, key.name) == nullptr) {
        complain_missing(section, key.name, path, accepted_text(key));
      }
    }
    return problems_.size() == before;
  }
  /// Returns the section of this name; null if there is none or nothing in it, with a problem if it
  /// is of another kind.
  const InputNode* find_section(const InputNode& parent, std::string_view key,
                                const std::string& path);
  /// Returns the entry; null, with a problem, if there is none of this kind (a map or a list).
  const InputNode* require(const InputNode& parent, std::string_view key, const std::string& path,
                           NodeKind kind);

  void complain(core::SourcePosition at, std::string problem, std::string remedy);
  void complain(const InputNode& at, std::string problem, std::string remedy) {
    complain(position(at), std::move(problem), std::move(remedy));
  }
  /// Adds a problem at the position of a key that was given, else of the file as a whole.
  void complain(std::string_view key, std::string problem, std::string remedy);
  void complain_missing(const InputNode& section, std::string_view key, const std::string& path,
                        const std::string& accepted);
  /// True if no further problem is kept.
  [[nodiscard]] bool is_full() const;
  /// Throws core::InputError with all problems, if there are any.
  void throw_if_any();

  void mark_given(const std::string& name, const core::SourcePosition& at) { given_[name] = at; }
  /// Returns all keys that were read, with valid values or not.
  [[nodiscard]] const GivenKeys& given() const { return given_; }

  /// Records a key that is none of `known`.
  void complain_unknown(const InputNode& name, const std::string& path,
                        const std::vector<std::string_view>& known);

 private:
  std::string file_, example_;
  std::vector<std::string> further_files_;  ///< names of sources 1, 2, ...
  bool has_lines_ = true;
  std::vector<core::InputProblem> problems_;
  GivenKeys given_;
};

}  // namespace nfold::document
