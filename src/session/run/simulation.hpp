// Simulation from input file to end, for `nfold run` and for each run of a batch.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "core/exit_code.hpp"
#include "core/status/output_paths.hpp"
#include "device/compute_environment.hpp"
#include "engine/engine.hpp"
#include "session/job/collective_work.hpp"
#include "session/job/run_log.hpp"
#include "session/job/run_options.hpp"
#include "session/setup/estimate_record.hpp"

namespace nfold::run {

/// State needed to report a failure, wherever it occurs.
struct RunRecord {
  status::OutputPaths paths;
  bool owns_folder = false;  ///< false: the status of another process must not be overwritten
  std::int64_t step = 0, steps = 0;
  bool is_resumed = false;              ///< true if resumed from a checkpoint
  setup::TimedSteps taken;              ///< steps of this session, once it has ended
  std::optional<estimate::JobRow> job;  ///< whole run with its measured parts; rank 0
  job::RunLog log;                      ///< silent except on rank 0
};

/// Collective. Resumes from the output folder or starts anew, and runs until the last step, a
/// signal or the time limit. The caller sets `record.paths`. Creates `compute` if it is empty, once
/// the input is known to be valid. Passes on all exceptions of the parts.
[[nodiscard]] core::ExitCode simulate(const comm::Communicator& communicator,
                                      const job::RunOptions& options,
                                      std::optional<device::ComputeEnvironment>& compute,
                                      RunRecord& record);

/// Writes the reason to NAME.log, and to NAME.status if this run owns the folder. Does not throw.
void write_failure(RunRecord& record, const core::Failure& failure);

}  // namespace nfold::run
