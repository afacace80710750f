// Files of a run in its folder, told from files of others by name and by content.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/output_paths.hpp"

namespace nfold::job {

struct RunFiles {
  /// Files of the run, in an order by which a removal that is cut short leaves what the next start
  /// understands: checkpoints first, then all but status and input, which prove whose they are.
  std::vector<std::filesystem::path> own;
  /// Files by names that the run may write, which are not proven to be a run's.
  std::vector<std::filesystem::path> foreign;
};

/// All files by names of the run. Without a status, a checkpoint or a resolved input that nfold
/// wrote none of them is the run's; with one, those are that hold what nfold writes.
[[nodiscard]] RunFiles files_of_run(const OutputPaths& paths);

/// A status or a checkpoint of the run is there.
[[nodiscard]] bool holds_run(const OutputPaths& paths);

/// Names of all runs in the folder that holds_run() finds.
[[nodiscard]] std::vector<std::string> runs_in(const std::filesystem::path& folder);

}  // namespace nfold::job
