// Steps per second of an input's system, or of its replicas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "cli/bench/suite.hpp"
#include "comm/communicator.hpp"
#include "session/job/failure.hpp"

namespace nfold::bench {

/// Collective. Times an input and prints a line of JSON. Replicas advance together, without replica
/// exchange; steps per second are those of each replica.
core::ExitCode bench_input(const comm::Communicator& communicator, const std::string& input,
                           const SuiteOptions& options);

}  // namespace nfold::bench
