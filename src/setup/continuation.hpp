// Where a run begins: at its start, or at a checkpoint that its input may go on from.
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
  std::optional<io::Checkpoint> checkpoint;  ///< none: from the start
  std::vector<std::string> notes;  ///< what a person should know of the choice, a line each
};

/// Collective: claims the output folder (claim_folder) and reads the checkpoint to go on from, if
/// any, with these rows of it on each rank. Refuses a finished run that is asked for no more, and
/// any changed key that may not change. InputError, SharedFailure, storage::FileError.
[[nodiscard]] Continuation continue_or_start(const comm::Communicator& communicator,
                                             const job::OutputPaths& paths,
                                             const config::Settings& settings,
                                             const job::RunOptions& options,
                                             io::CheckpointRows rows = io::CheckpointRows::all);

/// InputError if a checkpoint is beyond dynamics.steps, or at it in a finished run: nothing is left
/// to do. `where` names folder or file.
void require_steps_left(const io::CheckpointHeader& header, const config::Settings& settings,
                        const std::string& where, bool finished);

/// InputError if the system is not the one of the checkpoint, so many times: the structure file
/// changed.
void require_same_system(const io::Checkpoint& checkpoint, const topology::Topology& topology,
                         std::int64_t replicas = 1);

}  // namespace nfold::setup
