// Reader of tables in observables files, and merging of several files into one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/storage/file_error.hpp"

namespace nfold::io {

/// Reads all values of "SUBJECT/NAME" in row order. Returns nullopt if the file has no such table.
/// Throws FileError.
[[nodiscard]] std::optional<std::vector<double>> read_table(const std::filesystem::path& file,
                                                            const std::string& table);

/// Groups of one file, and the group to copy them into.
struct TablesFrom {
  std::string group;
  std::filesystem::path file;
};
/// Copies all groups except those named `left_out`, with the attributes of each file on its group.
/// Atomic. Throws FileError.
void join_tables(const std::filesystem::path& path, const std::vector<TablesFrom>& parts,
                 const std::string& left_out);

}  // namespace nfold::io
