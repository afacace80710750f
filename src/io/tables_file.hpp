// Reading the tables of observables files, and joining several such files into one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "storage/file_error.hpp"

namespace nfold::io {

/// All values of "SUBJECT/NAME" in row order; none if the file has no such table. FileError.
[[nodiscard]] std::optional<std::vector<double>> read_table(const std::filesystem::path& file,
                                                            const std::string& table);

/// The groups of one file, under a group of its own.
struct TablesFrom {
  std::string group;
  std::filesystem::path file;
};
/// Copies all groups but those called `left_out`, with the attributes of each file on its group.
/// Whole or as before. FileError.
void join_tables(const std::filesystem::path& path, const std::vector<TablesFrom>& parts,
                 const std::string& left_out);

}  // namespace nfold::io
