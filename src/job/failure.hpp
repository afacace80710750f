// How a failure becomes a message and an exit code, the same for every command.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "comm/suspect.hpp"
#include "job/exit_code.hpp"

namespace nfold::job {

/// A failure of rank 0 that all ranks throw; the exit code goes with it.
class SharedFailure : public std::runtime_error {
 public:
  SharedFailure(const std::string& message, ExitCode exit_code,
                std::optional<comm::Suspect> suspect = {})
      : std::runtime_error(message), exit_code_(exit_code), suspect_(std::move(suspect)) {}
  [[nodiscard]] ExitCode exit_code() const { return exit_code_; }
  /// Whose fault it is, where that is known.
  [[nodiscard]] const std::optional<comm::Suspect>& suspect() const { return suspect_; }

 private:
  ExitCode exit_code_;
  std::optional<comm::Suspect> suspect_;
};

/// Wrong input is the caller's to mend (1); everything else happened while running (3).
[[nodiscard]] ExitCode exit_code_of(const std::exception& failure);

/// One line "nfold: error: ..." per line of `message`, on standard error.
void print_error(const std::string& message);
/// The same with "nfold: warning: ".
void print_warning(const std::string& message);

/// Whether this process is the one that speaks, before MPI is started: by the launcher's variables
/// (Open MPI, PMIx, PMI, Slurm); true without a launcher.
[[nodiscard]] bool speaks_before_mpi();
/// How many ranks mpirun or srun has started, before MPI; 1 without them.
[[nodiscard]] int ranks_before_mpi();

/// The exit code of a process that does not speak: a launcher ends all of them at the first that
/// fails, so the others give rank 0 a second for its message.
[[nodiscard]] ExitCode fail_after_rank_0(ExitCode code);

}  // namespace nfold::job
