// One simulation from its input file to its end: what `nfold run` does, and a batch for each run.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "comm/communicator.hpp"
#include "device/compute_environment.hpp"
#include "dynamics/engine.hpp"
#include "job/collective_work.hpp"
#include "job/exit_code.hpp"
#include "job/output_paths.hpp"
#include "job/run_log.hpp"
#include "job/run_options.hpp"
#include "setup/work_record.hpp"

namespace nfold::run {

/// What has to be known when a run fails, wherever it fails.
struct RunRecord {
  job::OutputPaths paths;
  bool owns_folder = false;  ///< another's status must not be overwritten
  std::int64_t step = 0, steps = 0;
  bool is_continued = false;  ///< from a checkpoint
  setup::TakenSteps taken;    ///< of this session, once it has ended
  job::RunLog log;            ///< silent but on rank 0
};

/// Collective: goes on where the output folder says, until its last step, a signal or the time
/// limit. `record.paths` is set before. Makes `compute` if there is none yet, once the input is
/// known to be good. Throws what the parts throw.
[[nodiscard]] job::ExitCode simulate(const comm::Communicator& communicator,
                                     const job::RunOptions& options,
                                     std::optional<device::ComputeEnvironment>& compute,
                                     RunRecord& record);

/// The reason to NAME.log and NAME.status, as far as they are this run's. Does not throw.
void write_last_words(RunRecord& record, const job::SessionFailure& failure);

}  // namespace nfold::run
