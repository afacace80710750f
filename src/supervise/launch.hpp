// The nfold launch command: a supervisor that starts ranks and restarts them after failures.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/exit_code.hpp"
#include "supervise/retry_policy.hpp"

namespace nfold::supervise {

/// Command that the ranks run.
struct WatchedCommand {
  std::vector<std::string> words;  ///< Arguments: run INPUT.yaml --set ..., without the program.
  std::filesystem::path input;     ///< INPUT.yaml, or a batch file.
  std::filesystem::path folder;    ///< Output folder.
  std::string name;                ///< NAME of its files in the folder.
  bool is_batch = false;           ///< True for a batch, whose name is "batch".
  std::string resume;              ///< "auto", "never" or a checkpoint file.
  double time_limit_seconds = 0;   ///< For all attempts together. 0: none.
  /// Arguments that also apply to the input in the output folder: all except --set, --output,
  /// --overwrite and --resume.
  std::vector<std::string> options{};
};

struct LaunchOptions {
  int ranks = 0;  ///< 0: one for each available task or GPU.
  RetryLimits limits;
  double heartbeat_limit_seconds = 900;
  std::string launcher;              ///< mpirun or srun with site options. Empty: searched for.
  std::string devices_command;       ///< Device test of the site. Empty: `nfold devices`.
  std::filesystem::path sick_nodes;  ///< File of sick hosts for the job script. Empty: none.
  bool uses_gpus = false;            ///< True if this program computes on GPUs.
};

/// Returns the arguments of a further attempt. Drops --overwrite once an attempt has claimed the
/// folder (has_folder), and --resume once the folder holds the state to resume from: with --resume
/// FILE a checkpoint written by an attempt (has_checkpoint), otherwise has_folder.
[[nodiscard]] std::vector<std::string> resume_arguments(const WatchedCommand& command,
                                                        bool has_folder, bool has_checkpoint);

/// Returns the arguments of a further attempt that reads the input in the output folder. For a run
/// whose input file was changed or removed.
[[nodiscard]] std::vector<std::string> folder_resume_arguments(const WatchedCommand& command,
                                                               bool has_checkpoint);

/// Sets the value of --time-limit to the remaining seconds.
[[nodiscard]] std::vector<std::string> with_time_left(std::vector<std::string> words,
                                                      double seconds);

/// Runs attempts until one ends without a failure or has wrong input, or until retries are useless.
/// Throws InputError if no launcher is found.
[[nodiscard]] core::ExitCode launch(const WatchedCommand& command, const LaunchOptions& options);

}  // namespace nfold::supervise
