// How the program was called, for the commands that start MPI.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "job/exit_code.hpp"

namespace nfold::job {

/// main's own arguments, for the commands that start MPI, and the verdict it returns.
struct Invocation {
  int argc = 0;
  char** argv = nullptr;
  ExitCode exit_code = ExitCode::done;
};

}  // namespace nfold::job
