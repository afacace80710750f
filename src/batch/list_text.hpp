// Text of a list of targets: the list itself, or one made of sequences or of a folder.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace nfold::batch {

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
