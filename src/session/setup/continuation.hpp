// First step of a run: a new start, or a checkpoint that its input can resume.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "core/status/output_paths.hpp"
#include "input/settings.hpp"
#include "io/checkpoint.hpp"
#include "model/topology/topology.hpp"
#include "session/job/run_options.hpp"

namespace nfold::setup {

struct Continuation {
  std::optional<io::Checkpoint> checkpoint;  ///< none: new start
  std::vector<std::string> notes;            ///< messages about the choice, a line each
};

/// Collective: claims the output folder (claim_folder) and reads the checkpoint to resume, if any.
/// rows: rows that each rank reads. Throws InputError for a finished run without further steps and
/// for changed keys that may not change; core::Failure, storage::FileError.
[[nodiscard]] Continuation start_or_resume(const comm::Communicator& communicator,
                                           const status::OutputPaths& paths,
                                           const input::Settings& settings,
                                           const job::RunOptions& options,
                                           io::CheckpointRows rows = io::CheckpointRows::all);

/// Throws InputError if no step is left: the checkpoint is beyond dynamics.steps, or at it in a
/// finished run. where: folder or file.
void require_steps_left(const io::CheckpointHeader& header, const input::Settings& settings,
                        const std::string& where, bool finished);

/// Throws InputError if the checkpoint is not of `replicas` times this system, since the structure
/// file has changed.
void require_same_system(const io::Checkpoint& checkpoint, const topology::Topology& topology,
                         std::int64_t replicas = 1);

}  // namespace nfold::setup
