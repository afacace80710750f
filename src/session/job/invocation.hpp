// Program arguments for the commands that start MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/exit_code.hpp"

namespace nfold::job {

/// Arguments of main() for the commands that start MPI, and the exit code that they return.
struct Invocation {
  int argc = 0;
  char** argv = nullptr;
  core::ExitCode exit_code = core::ExitCode::done;
};

}  // namespace nfold::job
