// A round of a batch: ranks draw targets until none is left, then join those that others work on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "batch/heartbeat.hpp"
#include "batch/plan.hpp"
#include "batch/target.hpp"
#include "comm/communicator.hpp"
#include "job/more_ranks.hpp"

namespace nfold::batch {

/// The referred-to objects outlive the round.
struct RoundContext {
  const BatchContext& batch;
  const std::vector<PlannedTarget>& targets;
  const std::vector<std::size_t>& queue;  ///< of targets, the same on all ranks
  const comm::Communicator& live;         ///< the ranks that draw from it
  Heartbeat& heartbeat;
  const std::vector<std::string>& gpus;  ///< by ranks of the world; empty: on processors
  int most_in_turn = 1;                  ///< targets at once on a rank
  /// Collective over the group.
  std::function<TargetEnd(std::size_t target, const comm::Communicator& group, RankUse rank_use,
                          const job::AsksForMoreRanks& asks)>
      do_target;
  /// Hands a target over to a later round. On each rank that drew it.
  std::function<void(std::size_t target)> hand_back;
  std::function<bool()> is_to_stop, has_withdrawn;
};

/// Of this rank.
struct RoundEnd {
  std::string joinings;  ///< a line for each target that idle ranks have joined at its asking
  bool was_stopped = false;
};

/// Collective over the live ranks.
[[nodiscard]] RoundEnd do_round(const RoundContext& context);

}  // namespace nfold::batch
