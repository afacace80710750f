// How a failure becomes a message and an exit code, the same for every command.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

#include "cli/commands.hpp"

namespace nfold::cli {

/// Wrong input is the caller's to mend (1); everything else happened while running (3).
[[nodiscard]] ExitCode exit_code_of(const std::exception& failure);

/// One line "nfold: error: ..." per line of `message`, on standard error.
void print_error(const std::string& message);

/// Whether this process is the one that speaks, before MPI is started: by the launcher's variables
/// (Open MPI, PMIx, PMI, Slurm); true without a launcher.
[[nodiscard]] bool speaks_before_mpi();

}  // namespace nfold::cli
