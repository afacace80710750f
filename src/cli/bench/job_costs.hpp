// Measured costs of a job beside its steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "comm/communicator.hpp"
#include "device/compute_environment.hpp"
#include "estimate/job_time.hpp"

namespace nfold::bench {

/// Runs a small job with all kinds of output in a folder of its own and scales the costs of each
/// part by what it took. For one rank; takes a few seconds. before_seconds: from the start of the
/// process to the first command.
[[nodiscard]] estimate::JobCosts measure_job_costs(
    const comm::Communicator& communicator, std::optional<device::ComputeEnvironment>& compute,
    double before_seconds);

}  // namespace nfold::bench
