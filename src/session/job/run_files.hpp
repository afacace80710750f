// Files of a run in its folder, distinguished from others by name and content.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/status/output_paths.hpp"

namespace nfold::job {

struct RunFiles {
  /// Files of the run in removal order, so that the next start understands the rest of an
  /// interrupted removal: checkpoints first; status and input, which prove the origin of the
  /// others, last.
  std::vector<std::filesystem::path> own;
  /// Files with names of the run that are not proven to be a run's.
  std::vector<std::filesystem::path> foreign;
};

/// Returns all files with names of the run. They are the run's only if the folder has a status, a
/// checkpoint, a stored input or incidents written by nfold, and if their contents are nfold's.
[[nodiscard]] RunFiles files_of_run(const status::OutputPaths& paths);

/// True if the folder has a status or a checkpoint of the run.
[[nodiscard]] bool holds_run(const status::OutputPaths& paths);

/// Returns the names of all runs in the folder for which holds_run() is true.
[[nodiscard]] std::vector<std::string> runs_in(const std::filesystem::path& folder);

}  // namespace nfold::job
