// A CALVADOS folder as an input: its files written beside it, for prepare and for other commands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/calvados/translation.hpp"

namespace nfold::calvados {

struct PrepareFolderOptions {
  std::filesystem::path folder;
  std::filesystem::path output;  ///< input to write; empty: FOLDER/nfold/SYSNAME.yaml
  std::vector<std::string> overrides;
  bool overwrite = false;
};
/// Command `nfold prepare FOLDER`: writes the input and the files that it names beside it, and
/// reports them. Throws core::InputError.
void prepare_folder(const PrepareFolderOptions& options, std::ostream& out);

/// A folder that a command takes in place of an input.
struct FolderInput {
  Translation translation;
  std::filesystem::path input;
};
/// Translates the folder. On the rank that prints messages, also writes the files, unless they are
/// there already, and reports the notes. Throws core::InputError if one of them is there and
/// differs.
[[nodiscard]] FolderInput input_of_folder(const std::filesystem::path& folder, std::ostream& out);

/// Returns the input of a CALVADOS folder, as input_of_folder() does; any other path as it is.
[[nodiscard]] std::filesystem::path to_input(const std::filesystem::path& given, std::ostream& out);

}  // namespace nfold::calvados
