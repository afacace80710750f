// Text of a list of targets: the list itself, or one made of sequences or of a folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace nfold::batch {

/// Sequence of a FASTA record or a row of a table, with keys of its input.
struct ListedSequence {
  std::string name, sequence;
  std::map<std::string, std::string> sections;  ///< "KEY: VALUE, KEY: VALUE" by section

  [[nodiscard]] bool is_blank() const { return name.empty() && sequence.empty(); }
  /// value: in YAML.
  void set(const std::string& section, const std::string& key, const std::string& value);
  /// Returns "SECTION: {KEY: VALUE}, ...", empty without keys.
  [[nodiscard]] std::string input() const;
};
/// Reads a FASTA file, or a CSV file with the columns name and sequence and others for keys of the
/// input, of which a blank row is a blank sequence. Throws InputError and StructureError.
[[nodiscard]] std::vector<ListedSequence> read_sequences(const std::filesystem::path& file);

struct ListText {
  std::string text;            ///< YAML
  std::filesystem::path file;  ///< name in messages; relative paths start from its folder
  bool is_list = true;         ///< false for a file that may be the input of one run instead
};

/// Reads a list in YAML, a FASTA file, a CSV file with the columns name and sequence and others for
/// keys of the input, a folder of such sequences, or a folder of structures and input files. Throws
/// InputError and StructureError.
[[nodiscard]] ListText read_list_text(const std::filesystem::path& targets);

}  // namespace nfold::batch
