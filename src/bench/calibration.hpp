// How fast a machine is: some systems measured, and the coefficients that predict all others.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "job/exit_code.hpp"

namespace nfold::bench {

struct CalibrationOptions {
  std::string file;  ///< the machine's entry, written here
  /// Built-in machine or file whose node, network and price are taken, and whose coefficients hold
  /// where nothing is measured; empty: the default one.
  std::string like;
  std::string steps_csv;  ///< what was measured, with what was counted; empty: not written
  std::string gpus;
};

/// Collective. On one rank, of a CPU with one thread, all of the device; on several what lies
/// between them, on top of an entry of one rank (`like`). About two minutes. Prints on rank 0;
/// InputError, storage::FileError.
[[nodiscard]] job::ExitCode calibrate(const comm::Communicator& communicator,
                                      const CalibrationOptions& options);

}  // namespace nfold::bench
