// Names of species and targets, and the files that an input names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "input/settings.hpp"

namespace nfold::input {

/// True for a character that names of species and targets may have: letters, digits and ._-+
[[nodiscard]] bool is_name_character(char c);

/// Returns a valid name: other characters become '_'.
[[nodiscard]] std::string to_name(std::string text);

/// True for the name of a structure file: PDB or mmCIF, plain or gzipped.
[[nodiscard]] bool is_structure_name(const std::filesystem::path& file);

/// Returns the values of all given keys that name a file, in the order of the reference.
[[nodiscard]] std::vector<std::string*> named_files(input::Settings& settings);

/// Returns the input file and all files that it names, as paths from the working directory.
[[nodiscard]] std::vector<std::filesystem::path> find_input_files(
    input::Settings settings, const std::filesystem::path& input_file);

/// Rewrites relative paths in `settings` from one file's folder to another folder.
void rebase_paths(input::Settings& settings, const std::filesystem::path& from_file,
                  const std::filesystem::path& to_folder);

}  // namespace nfold::input
