// One simulation from its input file to its end: what `nfold run` does, and a batch for each run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "cli/output_paths.hpp"
#include "cli/run_log.hpp"
#include "cli/run_options.hpp"
#include "comm/communicator.hpp"
#include "dynamics/engine.hpp"

namespace nfold::cli {

/// What has to be known when a run fails, wherever it fails.
struct RunRecord {
  OutputPaths paths;
  bool owns_folder = false;  ///< another's status must not be overwritten
  std::int64_t step = 0, steps = 0;
  RunLog log;  ///< silent but on rank 0
};

/// Collective: goes on where the output folder says, until its last step, a signal or the time
/// limit. `record.paths` is set before. Makes `compute` if there is none yet, once the input is
/// known to be good. Throws what the parts throw.
[[nodiscard]] ExitCode simulate(const comm::Communicator& communicator, const RunOptions& options,
                                std::optional<dynamics::ComputeEnvironment>& compute,
                                RunRecord& record);

/// The reason to NAME.log and NAME.status, as far as they are this run's. Does not throw.
void write_last_words(RunRecord& record, const std::string& reason, ExitCode exit_code);

}  // namespace nfold::cli
