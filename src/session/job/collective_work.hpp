// Collective failure handling: one message, one exit code, no rank left waiting.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "comm/communicator.hpp"
#include "core/exit_code.hpp"
#include "core/failure.hpp"
#include "session/job/failure.hpp"

namespace nfold::job {

/// Collective: runs `action` on rank 0 and returns its text on all ranks. `action` must not
/// communicate. If it throws, all ranks throw the same core::Failure.
std::string text_from_root(const comm::Communicator& communicator,
                           const std::function<std::string()>& action);
/// Collective: text_from_root() for an action without a result.
void on_root(const comm::Communicator& communicator, const std::function<void()>& action);

/// Collective: runs `action` on every rank; it must not communicate. If some ranks throw a
/// collective failure (core::Failure::is_collective), all ranks throw that of the lowest one. Other
/// failures are thrown at once and abort the job.
void on_all(const comm::Communicator& communicator, const std::function<void()>& action);

/// Runs `work` on some ranks while the others work independently. Rethrows a collective
/// failure as one of this rank alone, which aborts the job.
void run_independently(const comm::Communicator& communicator, const std::function<void()>& work);

/// Callback at a session's failure, before the message is printed. Must not communicate or throw.
using FailureCallback = std::function<void(const core::Failure& failure)>;

/// Collective: runs `work` on all ranks and returns the exit code. Rank 0 prints failures that all
/// ranks share (wrong input, files, explosion) once all ranks have arrived. A failure of one rank
/// is printed by that rank and aborts the job, since the others are waiting.
[[nodiscard]] core::ExitCode run_collectively(const comm::Communicator& communicator,
                                              const std::function<core::ExitCode()>& work,
                                              const FailureCallback& last_words);

}  // namespace nfold::job
