// Messages and exit codes of failures, common to all commands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "comm/suspect.hpp"
#include "core/exit_code.hpp"

namespace nfold::job {

/// Failure that all ranks throw, with its exit code.
class SharedFailure : public std::runtime_error {
 public:
  SharedFailure(const std::string& message, core::ExitCode exit_code,
                std::optional<comm::Suspect> suspect = {})
      : std::runtime_error(message), exit_code_(exit_code), suspect_(std::move(suspect)) {}
  [[nodiscard]] core::ExitCode exit_code() const { return exit_code_; }
  /// Rank and device at fault; empty if unknown.
  [[nodiscard]] const std::optional<comm::Suspect>& suspect() const { return suspect_; }

 private:
  core::ExitCode exit_code_;
  std::optional<comm::Suspect> suspect_;
};

/// Returns the exit code of a SharedFailure, else 1 for wrong input, which the caller can fix, and
/// 3 for failures while running.
[[nodiscard]] core::ExitCode to_exit_code(const std::exception& failure);

/// Prints each line of `message` as "nfold: error: ..." on standard error.
void print_error(const std::string& message);
/// Prints each line of `message` as "nfold: warning: ..." on standard error.
void print_warning(const std::string& message);

/// True if this process prints messages, before MPI starts: rank 0 by the launcher's variables
/// (Open MPI, PMIx, PMI, Slurm), or any process without a launcher.
[[nodiscard]] bool is_root_before_mpi();
/// Number of ranks that mpirun or srun has started, before MPI starts; 1 without them.
[[nodiscard]] int rank_count_before_mpi();

/// Waits one second and returns `code`, in processes that print no message: a launcher ends all
/// processes at the first failure, so the others leave rank 0 time for its message.
[[nodiscard]] core::ExitCode delay_failure(core::ExitCode code);

}  // namespace nfold::job
