// What nfold launch does: starts a command's ranks, and again after a failure, until it is done.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "job/exit_code.hpp"
#include "launch/retry_policy.hpp"

namespace nfold::launch {

/// The command that ranks are to do.
struct WatchedCommand {
  std::vector<std::string> words;  ///< run INPUT.yaml --set ..., without the program
  std::filesystem::path input;     ///< INPUT.yaml, or a batch's list
  std::filesystem::path folder;    ///< where it writes
  std::string name;                ///< NAME of its files there
  bool is_batch = false;           ///< name: batch
  std::string resume;              ///< auto, never or a checkpoint
  double time_limit_seconds = 0;   ///< of all attempts together; 0: none
  /// Of words, those that hold beside the input in the folder: not --set, --output, --overwrite and
  /// --resume.
  std::vector<std::string> options{};
};

struct LaunchOptions {
  int ranks = 0;  ///< 0: all that is there
  RetryLimits limits;
  double heartbeat_limit_seconds = 900;
  std::string launcher;              ///< mpirun or srun with options of the site; empty: found
  std::string devices_command;       ///< a site's own test of devices; empty: this program's
  std::filesystem::path sick_nodes;  ///< a file for the job script; empty: none
  bool uses_gpus = false;            ///< this program computes on GPUs
};

/// The command for a further attempt. Once the first one has taken the folder (has_folder), it must
/// neither replace nor refuse what it wrote there itself; with --resume FILE that is so as soon as
/// there is a checkpoint of its own (has_checkpoint).
[[nodiscard]] std::vector<std::string> words_to_go_on(const WatchedCommand& command,
                                                      bool has_folder, bool has_checkpoint);

/// The same for a run whose input has changed or gone: it goes on from the one in its folder.
[[nodiscard]] std::vector<std::string> words_to_go_on_in_folder(const WatchedCommand& command,
                                                                bool has_checkpoint);

/// --time-limit is what is left of it.
[[nodiscard]] std::vector<std::string> with_time_left(std::vector<std::string> words,
                                                      double seconds);

/// Until done, wrong, stopped or given up. InputError if there is nothing to start it with.
[[nodiscard]] job::ExitCode launch(const WatchedCommand& command, const LaunchOptions& options);

}  // namespace nfold::launch
