// What the log of a batch says of its plan.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "batch/plan.hpp"
#include "input_files/batch_file.hpp"
#include "job/ranks_of_job.hpp"

namespace nfold::batch {

struct PlanText {
  std::vector<std::string> waiting;    ///< of each target whose space has no rank
  std::vector<std::string> decisions;  ///< spaces with reasons, protocols, who shares a target
};
/// targets: of the file, in its order.
[[nodiscard]] PlanText plan_in_words(const input_files::BatchFile& file,
                                     const std::vector<PlannedTarget>& targets,
                                     const job::RanksOfJob& job);

/// "3 targets on GPU ranks, predicted 12 s of one; 5 on CPU ranks, ...", of what is to do.
[[nodiscard]] std::string spaces_in_words(const std::vector<PlannedTarget>& targets,
                                          const job::RanksOfJob& job);

}  // namespace nfold::batch
