// Command nfold bench: measures the suite, one input's system, or the machine.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cli/bench/calibration.hpp"
#include "cli/bench/suite.hpp"
#include "session/job/invocation.hpp"

namespace nfold::bench {

struct BenchOptions {
  std::string input;  ///< empty: the suite
  SuiteOptions suite;
  bool list = false;
  CalibrationOptions calibration;  ///< run if its file is set
};

/// Starts MPI, measures, and prints on rank 0. Returns partly_failed if a system of the suite
/// failed.
core::ExitCode bench(job::Invocation& invocation, const BenchOptions& options);

}  // namespace nfold::bench
