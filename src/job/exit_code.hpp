// What the program tells its caller when it ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace nfold::job {

/// What the program tells its caller; scripts and queues read it.
enum class ExitCode : int {
  done = 0,
  wrong_input = 1,    ///< wrong usage or input
  partly_failed = 2,  ///< some targets failed or wait for ranks of another kind, the rest complete;
                      ///< of nfold devices: one is unfit
  failed = 3,         ///< failed while running
  stopped_early = 75,  ///< signal or time limit; a checkpoint is written: start again
};

}  // namespace nfold::job
