// Round of a batch: ranks draw targets until none is left, then join running targets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "batch/heartbeat.hpp"
#include "batch/plan.hpp"
#include "batch/target.hpp"
#include "batch/withdrawal.hpp"
#include "comm/communicator.hpp"
#include "session/job/join_query.hpp"

namespace nfold::batch {

/// Arguments of a round. The referred-to objects must outlive it.
struct RoundContext {
  const BatchContext& batch;
  const std::vector<PlannedTarget>& targets;
  const std::vector<std::size_t>& queue;  ///< Target indices, the same on all live ranks.
  Withdrawals& withdrawals;               ///< Its live ranks draw from the queue.
  Heartbeat& heartbeat;
  const std::vector<std::string>& gpus;  ///< (world ranks) Names; empty: CPU rank.
  int most_interleaved = 1;              ///< Maximum number of interleaved targets on a rank.
  /// Runs a target. Collective over the group.
  std::function<TargetOutcome(std::size_t target, const comm::Communicator& group, RankUse rank_use,
                              const job::JoinQuery& query_join)>
      do_target;
};

/// Result of a round on this rank.
struct RoundResult {
  std::string joinings;  ///< One line for each target of this rank that idle ranks joined.
  bool was_stopped = false;
};

/// Runs a round. Collective over the live ranks.
[[nodiscard]] RoundResult do_round(const RoundContext& context);

}  // namespace nfold::batch
