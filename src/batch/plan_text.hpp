// Log lines on the assignment of a batch's targets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "batch/plan.hpp"
#include "input/batch_file.hpp"
#include "session/job/backend_ranks.hpp"

namespace nfold::batch {

struct PlanText {
  std::vector<std::string> waiting;    ///< One for each target whose backend has no rank.
  std::vector<std::string> decisions;  ///< Backends, protocols, shared targets.
};
/// Describes the assignment of each target. targets: in the order of the file. side_by_side: most
/// targets at once on a rank.
[[nodiscard]] PlanText describe_plan(const input::BatchFile& list,
                                     const std::vector<PlannedTarget>& targets,
                                     const job::BackendRanks& job, int side_by_side);

/// Returns "3 targets on GPU ranks, predicted 12 s of one; 5 on CPU ranks, ..." for targets to run.
[[nodiscard]] std::string describe_backends(const std::vector<PlannedTarget>& targets,
                                            const job::BackendRanks& job);

}  // namespace nfold::batch
