// Command nfold devices: the devices of all nodes of the job, with their health.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/bench/device_splits.hpp"
#include "session/job/invocation.hpp"

namespace nfold::bench {

struct DevicesOptions {
  bool json = false, measure = false;
  bool measure_here = false, measure_links_here = false;  ///< this process is a child of --measure
  SplitRequest split;                                     ///< units 0: no split
};

/// Prints on rank 0. Returns partly_failed if a device is unfit.
core::ExitCode devices(job::Invocation& invocation, const DevicesOptions& options);

}  // namespace nfold::bench
