// Names of species and targets, and the files that an input names.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
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

/// Returns the input file and all files that it and its force-field table name, as paths from the
/// working directory. Throws core::InputError for a table that cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> find_input_files(
    input::Settings settings, const std::filesystem::path& input_file);

/// A file of a force field: the table, one that it extends, or one of r and U.
struct TableFile {
  /// Bytes of the text that name another of the files.
  struct Name {
    std::size_t begin = 0, length = 0;
    std::size_t file = 0;  ///< index of the named file
  };
  std::filesystem::path path;
  std::string text;
  std::vector<Name> names;  ///< ascending

  /// Returns the text with other names of the files. file_names: (files).
  [[nodiscard]] std::string renamed(const std::vector<std::string>& file_names) const;
};

/// Reads a force-field table and the files that it names, the table first. Throws core::InputError.
[[nodiscard]] std::vector<TableFile> read_table_files(const std::filesystem::path& table);

/// True if the force fields of both tables are the same text, apart from the names of files.
[[nodiscard]] bool is_same_force_field(const std::filesystem::path& a,
                                       const std::filesystem::path& b);

/// Rewrites relative paths in `settings` from one file's folder to another folder.
void rebase_paths(input::Settings& settings, const std::filesystem::path& from_file,
                  const std::filesystem::path& to_folder);

}  // namespace nfold::input
