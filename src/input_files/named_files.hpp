// Files that an input names: structures, sequences, a table of parameters, a checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/settings.hpp"

namespace nfold::input_files {

/// The values of all keys that name a file and are given, in the order of the reference.
[[nodiscard]] std::vector<std::string*> named_files(config::Settings& settings);

/// The input file itself and all files that it names, as seen from here.
[[nodiscard]] std::vector<std::filesystem::path> files_of_input(
    config::Settings settings, const std::filesystem::path& input_file);

/// Paths in settings that start at one file's folder, as seen from another folder.
void move_paths(config::Settings& settings, const std::filesystem::path& from_file,
                const std::filesystem::path& to_folder);

}  // namespace nfold::input_files
