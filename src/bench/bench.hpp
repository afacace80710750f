// What nfold bench does: measures the suite, or one input's system.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "bench/suite.hpp"
#include "job/invocation.hpp"

namespace nfold::bench {

struct BenchOptions {
  std::string input;  ///< empty: the suite
  SuiteOptions suite;
  bool list = false;
};

/// Starts MPI, measures, and prints on rank 0. partly_failed where a system of the suite failed.
job::ExitCode bench(job::Invocation& invocation, const BenchOptions& options);

}  // namespace nfold::bench
