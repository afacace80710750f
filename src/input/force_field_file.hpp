// Tree of a force-field file, merged with the files that it extends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "input/force_field.hpp"

namespace nfold::input {

/// Mark at the end of the name of a bead that an extending file defines anew. Such a bead is no
/// type; the new one is `like` it.
inline constexpr char hidden_bead_mark = '\x01';

/// Place in the text of a force field that names another file.
struct FileName {
  int source = 0, line = 0, column = 0;  ///< place, by the members of InputNode
  std::string text;                      ///< text of the name
  std::string path;                      ///< from the working directory
};

/// One tree of all keys. Rows of `pairs` are joined by term, those of bases first; every other key
/// of an extending file replaces or adds. `residues` is called `beads`, and a list of `pairs` is
/// the map {contact: list}.
class ForceFieldFile : public std::enable_shared_from_this<ForceFieldFile> {
 public:
  /// Throws core::InputError.
  ForceFieldFile(std::string_view text, const std::string& file, const ReadFile& read);

  [[nodiscard]] const document::InputNode& root() const { return root_; }
  /// Names of the texts by InputNode::source; a file before the one that it extends.
  [[nodiscard]] const std::vector<std::string>& sources() const { return sources_; }
  /// Files that `extends` and `file` name, without built-in ones.
  [[nodiscard]] const std::vector<FileName>& file_names() const { return file_names_; }
  /// Word of the file for its beads: "residues" or "beads".
  [[nodiscard]] const std::string& beads_key() const { return beads_key_; }
  /// Returns the text of a data file that a node of the tree names.
  [[nodiscard]] const std::string& data(const document::InputNode& name) const;

 private:
  document::InputNode load(std::string_view text, const std::string& file, const ReadFile& read);
  void read_data(const ReadFile& read);
  [[nodiscard]] std::string path_from(const document::InputNode& name) const;
  void add_file_name(const document::InputNode& name);

  std::vector<std::string> sources_;
  std::vector<FileName> file_names_;
  std::string beads_key_ = "beads";
  document::InputNode root_;
  std::map<std::string, std::string, std::less<>> data_;  ///< by path
};

}  // namespace nfold::input
