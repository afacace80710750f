// Tree of a force-field file, merged with the files that it extends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/document/document.hpp"
#include "input/force_field.hpp"

namespace nfold::input {

/// Mark at the end of the name of a bead that an extending file defines anew. Such a bead is no
/// type; the new one is `like` it.
inline constexpr char hidden_bead_mark = '\x01';

/// One tree of all keys. Rows of `pairs` are joined by term, those of bases first; every other key
/// of an extending file replaces or adds. `residues` is called `beads`, and a list of `pairs` is
/// the map {contact: list}.
class ForceFieldFile {
 public:
  /// Throws core::InputError.
  ForceFieldFile(std::string_view text, const std::string& file, const ReadFile& read);

  [[nodiscard]] const document::InputNode& root() const { return root_; }
  /// Names of the texts by InputNode::source; a file before the one that it extends.
  [[nodiscard]] const std::vector<std::string>& sources() const { return sources_; }
  /// Word of the file for its beads: "residues" or "beads".
  [[nodiscard]] const std::string& beads_key() const { return beads_key_; }
  /// Returns the text of a data file that a node of the tree names.
  [[nodiscard]] const std::string& data(const document::InputNode& name) const;

 private:
  document::InputNode load(std::string_view text, const std::string& file, const ReadFile& read);
  void read_data(const ReadFile& read);
  [[nodiscard]] std::string path_from(const document::InputNode& name) const;

  std::vector<std::string> sources_;
  std::string beads_key_ = "beads";
  document::InputNode root_;
  std::map<std::string, std::string, std::less<>> data_;  ///< by path
};

}  // namespace nfold::input
