// First step of a run: a new start, or a checkpoint that its input can resume.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "config/settings.hpp"
#include "io/checkpoint.hpp"
#include "job/output_paths.hpp"
#include "job/run_options.hpp"
#include "topology/topology.hpp"

namespace nfold::setup {

struct Continuation {
  std::optional<io::Checkpoint> checkpoint;  ///< none: new start
  std::vector<std::string> notes;            ///< messages about the choice, a line each
};

/// Collective: claims the output folder (claim_folder) and reads the checkpoint to resume, if any.
/// rows: rows that each rank reads. Throws InputError for a finished run without further steps and
/// for changed keys that may not change; SharedFailure, storage::FileError.
[[nodiscard]] Continuation continue_or_start(const comm::Communicator& communicator,
                                             const job::OutputPaths& paths,
                                             const config::Settings& settings,
                                             const job::RunOptions& options,
                                             io::CheckpointRows rows = io::CheckpointRows::all);

/// Throws InputError if no step is left: the checkpoint is beyond dynamics.steps, or at it in a
/// finished run. where: folder or file.
void require_steps_left(const io::CheckpointHeader& header, const config::Settings& settings,
                        const std::string& where, bool finished);

/// Throws InputError if the checkpoint is not of `replicas` times this system, since the structure
/// file has changed.
void require_same_system(const io::Checkpoint& checkpoint, const topology::Topology& topology,
                         std::int64_t replicas = 1);

}  // namespace nfold::setup
