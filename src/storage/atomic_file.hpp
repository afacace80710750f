// Small text files that are either the old or the new one, whole, whatever happens.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/file_error.hpp"

namespace nfold::storage {

/// Writes PATH.tmp, brings it to the disk and renames it. FileError, then PATH is as before.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Renames within a folder and brings the folder to the disk. FileError names both.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Brings a folder's entries to the disk; silent where a file system does not offer it.
void sync_folder(const std::filesystem::path& folder);

/// The folder of a path, "." for a bare name.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& path);

/// NAME.status: "key: value" a line, in this order, atomic; line breaks in a value become spaces.
void write_status_file(const std::filesystem::path& path,
                       const std::vector<std::pair<std::string, std::string>>& lines);

/// A write beyond `ulimit -f` then fails with EFBIG, which becomes a FileError, rather than killing
/// the process by SIGXFSZ. Call once in main.
void turn_file_size_signal_into_error();

}  // namespace nfold::storage
