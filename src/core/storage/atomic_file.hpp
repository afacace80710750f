// Files that are replaced atomically.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/storage/file_error.hpp"

namespace nfold::storage {

/// Calls write(PATH.tmp), which must write and synchronise that file, and renames it. If it throws,
/// PATH is unchanged and PATH.tmp removed. Throws FileError.
void write_atomically(const std::filesystem::path& path,
                      const std::function<void(const std::filesystem::path& temporary)>& write);

/// Writes a text, completely or not at all. Throws FileError.
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Renames within a folder and synchronises the folder. Throws FileError with both names.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to);

/// Synchronises a folder's entries to disk; ignored by file systems that do not support it.
void sync_folder(const std::filesystem::path& folder);

/// Returns the folder of a path, "." for a bare name.
[[nodiscard]] std::filesystem::path parent_folder(const std::filesystem::path& path);

/// Makes a write beyond `ulimit -f` fail with EFBIG, and so with a FileError, rather than kill the
/// process by SIGXFSZ. Call once in main.
void ignore_file_size_signal();

}  // namespace nfold::storage
