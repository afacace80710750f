// Which targets of a batch are to be done by whom: sizes, spaces, queues, ranks of each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "batch/target.hpp"
#include "batch/target_size.hpp"
#include "comm/communicator.hpp"
#include "job/ranks_of_job.hpp"
#include "plan/dispatch.hpp"
#include "plan/rank_shares.hpp"

namespace nfold::batch {

/// How a target stands when the program starts.
enum class Standing : std::int64_t {
  missing,
  finished,
  failed,
  suspect,
  waiting  ///< it began in a space of which the job has no rank
};

struct PlannedTarget {
  Standing standing = Standing::missing;
  std::optional<plan::Space> kept;  ///< where it began, if it has
  TargetSize size;                  ///< of missing and suspect ones
  plan::Decision decision;          ///< of the same
  plan::SecondsByRanks seconds;     ///< of the same, in the space that was decided
  [[nodiscard]] bool is_to_do() const {
    return standing == Standing::missing || standing == Standing::suspect;
  }
  [[nodiscard]] bool is_for(Standing what, plan::Space space) const {
    return standing == what && decision.space == space;
  }
};

/// What an input asks for; none: by predicted time.
[[nodiscard]] std::optional<plan::Space> asked_space(input_files::Execution execution);

/// Collective: each rank reads its share of the systems, rank 0 decides. Of `targets` (targets)
/// standing and `kept` are known. What is found to be broken, or asks for a space that is not
/// there, becomes failed, with its row; what began in a space that is not there waits.
void plan_targets(const comm::Communicator& world, const job::RanksOfJob& job,
                  const plan::MachineTable& machine, const BatchContext& context,
                  std::vector<PlannedTarget>& targets);

/// (targets) Collective: predicted for one core, of all targets of the list; 0 of one that is
/// broken. The same in each job of the same list and machine table.
[[nodiscard]] std::vector<double> seconds_of_list(const comm::Communicator& world,
                                                  const plan::MachineTable& machine,
                                                  const BatchContext& context);

/// Collective: rank 0's predicted seconds on all ranks, of one rank and of several. They order the
/// queue and say how many ranks share a target: ranks that differ in a last bit would draw
/// different targets by one ticket.
void share_predictions(const comm::Communicator& world, std::vector<PlannedTarget>& targets);

/// Numbers of those that stand so and belong to the space, the longest first: what is short fills
/// the gaps at the end.
[[nodiscard]] std::vector<std::size_t> queue_of(const std::vector<PlannedTarget>& targets,
                                                Standing standing, plan::Space space);

/// The same queue with as many of the shortest in front, the shortest first, as delay the predicted
/// end of all by no more than a twentieth; the others stay behind them, the longest first.
[[nodiscard]] std::vector<std::size_t> short_first(const std::vector<PlannedTarget>& targets,
                                                   const std::vector<std::size_t>& queue,
                                                   int ranks);

/// [s] When a target begins and ends.
struct ScheduledTarget {
  double begin = 0, end = 0;
};
/// (queue) By prediction, where free ranks take targets in this order, each as many as
/// ranks_of_each() says.
[[nodiscard]] std::vector<ScheduledTarget> schedule(const std::vector<PlannedTarget>& targets,
                                                    const std::vector<std::size_t>& queue,
                                                    int ranks);

/// (queue) As plan::shares_of_ranks() says: as many for a target wherever it stands in the queue.
[[nodiscard]] std::vector<int> ranks_of_each(const std::vector<PlannedTarget>& targets,
                                             const std::vector<std::size_t>& queue, int ranks);

}  // namespace nfold::batch
