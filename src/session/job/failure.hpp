// Conversion of exceptions, and ends without a message, common to all commands.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>

#include "core/failure.hpp"

namespace nfold::job {

/// Converts an exception. std::bad_alloc becomes host_memory_failure() of the current phase
/// (comm/waiting.hpp); exceptions of libraries become failures of one rank.
[[nodiscard]] core::Failure to_failure(const std::exception& failure);

/// True if this process prints messages, before MPI starts: rank 0 by the launcher's variables
/// (Open MPI, PMIx, PMI, Slurm), or any process without a launcher.
[[nodiscard]] bool is_root_before_mpi();
/// Number of ranks that mpirun or srun has started, before MPI starts; 1 without them.
[[nodiscard]] int rank_count_before_mpi();

/// Waits one second and returns `code`, in processes that print no message: a launcher ends all
/// processes at the first failure, so the others leave rank 0 time for its message.
[[nodiscard]] core::ExitCode delay_failure(core::ExitCode code);

}  // namespace nfold::job
