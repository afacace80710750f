// Command `nfold run`: one simulation on all ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "job/invocation.hpp"
#include "job/run_options.hpp"

namespace nfold::run {

/// Starts MPI and simulates; NAME.status and NAME.log record why it ended.
job::ExitCode run(job::Invocation& invocation, const job::RunOptions& options);

}  // namespace nfold::run
