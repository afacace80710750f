// Plan of a batch: status, size and backend of each target, queues, and ranks of each target.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "batch/context.hpp"
#include "batch/target_size.hpp"
#include "comm/communicator.hpp"
#include "estimate/dispatch.hpp"
#include "estimate/list_time.hpp"

namespace nfold::batch {

/// Status of a target when the program starts.
enum class TargetStatus : std::int64_t {
  missing,
  finished,
  failed,
  suspect,
  waiting  ///< It began on a backend that no rank of the job has.
};

struct PlannedTarget {
  TargetStatus status = TargetStatus::missing;
  std::optional<estimate::Backend> kept;  ///< Backend on which it began, if it has begun.
  TargetSize size;                        ///< Set for missing and suspect targets.
  estimate::Decision decision;            ///< Set likewise.
  estimate::ListedTarget listed;          ///< Estimates on the decided backend; set likewise.
  [[nodiscard]] bool is_to_do() const {
    return status == TargetStatus::missing || status == TargetStatus::suspect;
  }
};

/// Returns the backend that an input requests. None: chosen by estimated time.
[[nodiscard]] std::optional<estimate::Backend> requested_backend(input::Execution execution);

/// Determines the status of a target from files of earlier sessions; never `waiting`, which depends
/// on the job's ranks. A target that killed its process too often becomes failed, with its row.
/// With --retry-failed, failed targets become missing. On one rank. Throws storage::FileError.
[[nodiscard]] TargetStatus find_target_status(
    const BatchContext& context, const std::string& target,
    const std::map<std::string, TargetHistory>& histories);

/// Reads the sizes of `targets`, whose `status` and `kept` are set, and decides their backends.
/// Collective: each rank reads some of the systems, rank 0 decides. Targets that are broken or
/// request a missing backend become failed, with their row. Targets that began on a missing backend
/// become waiting.
void plan_targets(const comm::Communicator& world, const BatchContext& context,
                  std::vector<PlannedTarget>& targets);

/// Estimates the time [s] of all targets of the list on one core, 0 if broken (targets).
/// Collective. Equal in each job with the same list and machine table, up to rounding.
[[nodiscard]] std::vector<double> estimate_list_seconds(const comm::Communicator& world,
                                                        const BatchContext& context);

/// Broadcasts status, decision and estimated times of rank 0, but not the sizes. Collective. They
/// determine the order of the queue and the ranks of each target. With a difference in the last
/// bit, ranks would draw different targets by the same ticket.
void broadcast_plan(const comm::Communicator& world, std::vector<PlannedTarget>& targets);

/// Returns the indices of targets with this status and backend, longest first, so that short
/// targets fill the gaps at the end.
[[nodiscard]] std::vector<std::size_t> make_queue(const std::vector<PlannedTarget>& targets,
                                                  TargetStatus status, estimate::Backend backend);

/// Moves as many of the shortest targets to the front of the queue, shortest first, as delay the
/// estimated end of the batch by at most 5 %. The others follow, longest first.
[[nodiscard]] std::vector<std::size_t> move_short_to_front(
    const std::vector<PlannedTarget>& targets, const std::vector<std::size_t>& queue, int ranks,
    int side_by_side);

/// Returns the ranks of each target (targets) by estimate::ListTime, independent of the order of
/// the queue. 1 for targets that are not in the queue. side_by_side: most targets at once on a
/// rank.
[[nodiscard]] std::vector<int> ranks_per_target(const std::vector<PlannedTarget>& targets,
                                                std::vector<std::size_t> queue, int ranks,
                                                int side_by_side);

}  // namespace nfold::batch
