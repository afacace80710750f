// Calibration of a machine: measured systems, and the coefficients fitted to them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "core/exit_code.hpp"

namespace nfold::bench {

struct CalibrationOptions {
  std::string file;  ///< output: the machine's entry
  /// Built-in machine or file that supplies node, network, price and every coefficient that is not
  /// measured; empty: the default machine.
  std::string like;
  std::string steps_csv;  ///< measured steps with their counted work; empty: not written
  std::string gpus;
};

/// Collective. On one rank (on CPUs, with one thread) measures all coefficients of the device; on
/// several ranks those between them, on top of an entry of one rank (`like`). Takes about two
/// minutes. Prints on rank 0. Throws InputError and storage::FileError.
[[nodiscard]] core::ExitCode calibrate(const comm::Communicator& communicator,
                                       const CalibrationOptions& options);

}  // namespace nfold::bench
