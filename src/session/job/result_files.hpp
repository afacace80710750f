// Result files of commands: plan --csv, bench --json, prepare -o.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "session/job/output_folder.hpp"

namespace nfold::job {

struct ResultFile {
  std::string option;  ///< "--csv"
  std::filesystem::path file;
};

/// Throws InputError, before any work, for a file that write_result() could not or should not
/// write: its folder is missing or not writable, it exists without --overwrite, or it is an input.
/// Skips files without a name.
void require_writable(std::span<const ResultFile> results, Overwrite overwrite,
                      std::span<const std::filesystem::path> inputs);

/// True for a pipe or a device and for targets in /dev and /proc: written in place, never replaced.
[[nodiscard]] bool is_special(const std::filesystem::path& file);

/// Writes a regular file atomically, a special one in place. Throws storage::FileError.
void write_result(const std::filesystem::path& file, std::string_view text);

}  // namespace nfold::job
