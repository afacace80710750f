// Execution of one target of a batch on a group of ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>

#include "batch/context.hpp"
#include "batch/plan.hpp"
#include "comm/communicator.hpp"
#include "core/failure.hpp"
#include "session/job/join_query.hpp"

namespace nfold::batch {

enum class TargetOutcome {
  finished,
  failed,
  stopped,
  retry_alone,  ///< Failed beside interleaved targets, perhaps for lack of memory.
  joined,       ///< Stopped, to be resumed together with the ranks that join.
  handed_back   ///< A device failed or made a silent error: another rank takes it.
};

/// Other work in the job meanwhile.
enum class RankUse {
  alone,     ///< None in the whole job, since the target is a suspect.
  one_each,  ///< Only on other ranks.
  shared     ///< Other targets on this rank too, which share its memory.
};

/// Runs a target, or resumes it from the files in its folder. Collective over `group`. Records the
/// backend in the folder before the first step. When it returns `finished` or `failed`, the row is
/// on the disk. planned: its backend is that of the calling ranks.
///
/// Failures of the target itself are caught. After a silent error, or a device failure on a single
/// rank, it returns `handed_back` and sets `device_failure`. A device failure in a group is thrown,
/// since the other ranks hang in collective calls. Failures of MPI or of the batch's own files are
/// thrown too. query_join: called on the first rank of the group.
[[nodiscard]] TargetOutcome run_target(const BatchContext& context,
                                       const input::BatchTarget& target,
                                       const PlannedTarget& planned,
                                       const comm::Communicator& group, RankUse rank_use,
                                       const job::JoinQuery& query_join,
                                       std::optional<core::Failure>& device_failure);

}  // namespace nfold::batch
