// Exit codes of the program.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::core {

/// Exit code of the program, for scripts and batch queues.
enum class ExitCode : int {
  done = 0,
  wrong_input = 1,     ///< wrong usage or input
  partly_failed = 2,   ///< some targets failed or wait for ranks of another backend, others are
                       ///< complete; nfold devices: a device is unfit
  failed = 3,          ///< failed while running
  stopped_early = 75,  ///< signal or time limit; a checkpoint is written: start again to resume
};

}  // namespace nfold::core
