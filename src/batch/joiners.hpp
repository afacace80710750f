// Idle ranks join targets that others have started: who asks, who comes, who works on together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/idle_ranks.hpp"
#include "job/more_ranks.hpp"

namespace nfold::batch {

/// A target and the ranks, of those that draw from one queue, that work on it from now on.
struct JoinedTarget {
  std::size_t target = 0;
  std::vector<int> members;
};

/// Of the ranks that draw from one queue. A target that idle ranks should join stops with a
/// checkpoint and is started again by all of them: its bits don't change, and any failure is met as
/// that of a target which several ranks have drawn together.
class Joiners {
 public:
  /// Collective over `live`. nodes: (ranks), as comm::nodes_of() has them. gpus_of_world: names by
  /// ranks of the world, empty: on processors.
  Joiners(const comm::Communicator& live, std::vector<int> nodes, int world_rank,
          std::span<const std::string> gpus_of_world);

  /// On the first of `members`, who work on the target. After an answer to join, the ranks that do
  /// wait for take_over() or release().
  [[nodiscard]] job::MoreRanksAnswer answer(std::size_t target, std::span<const int> members,
                                            int most_ranks, const job::RestOfRun& rest);
  /// Collective over the group of members whose target has stopped for those that join.
  void take_over(const comm::Communicator& group, std::size_t target, std::span<const int> members);
  /// Of this rank's target nobody is told any more; whoever waited to join it is idle again.
  void release();

  /// What this rank is to go on with after take_over(), once.
  [[nodiscard]] std::optional<JoinedTarget> take_next();
  /// Of a rank without work: what it is to join; none when all work is done.
  [[nodiscard]] std::optional<JoinedTarget> wait();
  void leave() { idle_.leave(); }
  /// Those who work on it. Each of them calls.
  [[nodiscard]] comm::Communicator group_of(const JoinedTarget& joined) const;

 private:
  [[nodiscard]] std::string in_words(std::span<const int> ranks) const;

  comm::Communicator live_;
  std::vector<int> nodes_, world_ranks_;
  std::vector<std::string> gpus_;  // (ranks)
  comm::IdleRanks idle_;
  std::vector<int> claimed_, idle_before_;
  bool has_told_ = false;
  std::optional<std::size_t> refused_;  // the target for which that was told last
  std::optional<JoinedTarget> next_;
};

}  // namespace nfold::batch
