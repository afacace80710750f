// Workload of a list of targets on layouts of GPUs, of cores, and of both.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/plan/workload.hpp"
#include "input/batch_file.hpp"

namespace nfold::plan {

/// Counts a list of targets like count_workload().
[[nodiscard]] WorkloadOnMachine count_targets(const input::BatchFile& list,
                                              const std::vector<std::string>& overrides,
                                              int side_by_side);

/// Returns why these arrays of a rank exceed a limit by devices.memory_limit_gb [bytes]; empty if
/// they do not, or if the limit is 0.
[[nodiscard]] std::string describe_excess(std::int64_t arrays, std::int64_t limit);

}  // namespace nfold::plan
