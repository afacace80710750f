// Files that a user asks a command for: plan --csv, bench --json, prepare -o.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "job/output_folder.hpp"

namespace nfold::job {

struct ResultFile {
  std::string option;  ///< "--csv"
  std::filesystem::path file;
};

/// Refuses before any work what write_result() could not or should not do: a folder that is missing
/// or closed, a file that exists without --overwrite, an input. Files without a name are skipped.
/// InputError.
void require_writable(std::span<const ResultFile> results, Overwrite overwrite,
                      std::span<const std::filesystem::path> inputs);

/// A pipe or a device, and whatever /dev and /proc lead to: written in place, never replaced.
[[nodiscard]] bool is_special(const std::filesystem::path& file);

/// Writes a regular file whole or not at all, a special one in place. storage::FileError.
void write_result(const std::filesystem::path& file, std::string_view text);

}  // namespace nfold::job
