// Command `nfold run`: one simulation on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "session/job/invocation.hpp"
#include "session/job/run_options.hpp"

namespace nfold::run {

/// Starts MPI and simulates; NAME.status and NAME.log record why it ended.
core::ExitCode run(job::Invocation& invocation, const job::RunOptions& options);

}  // namespace nfold::run
