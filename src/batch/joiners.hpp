// Messages by which idle ranks join targets that other ranks have started.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/idle_ranks.hpp"
#include "session/job/join_query.hpp"

namespace nfold::batch {

/// A target and its new group: ranks of the communicator of one queue.
struct JoinedTarget {
  std::size_t target = 0;
  std::vector<int> members;
};

/// Joining of targets among the ranks of one queue. A target that idle ranks join stops with a
/// checkpoint and is resumed by the larger group. Results are bitwise the same, and failures are
/// handled as for any target of several ranks.
class Joiners {
 public:
  /// Collective over `live`. nodes: (ranks), from comm::gather_rank_nodes(). gpus_of_world: (world
  /// ranks) GPU names; empty: CPU rank.
  Joiners(const comm::Communicator& live, std::vector<int> nodes, int world_rank,
          std::span<const std::string> gpus_of_world);

  /// Decides whether idle ranks join the target of `members`. Called on the first member. If they
  /// join, the claimed ranks wait for take_over() or release().
  [[nodiscard]] job::JoinAnswer answer(std::size_t target, std::span<const int> members,
                                       int most_ranks, const job::RemainingRun& rest);
  /// Invites the claimed ranks once the target has stopped. Collective over the group of members.
  void take_over(const comm::Communicator& group, std::size_t target, std::span<const int> members);
  /// Withdraws this rank's target. Claimed ranks become idle again.
  void release();

  /// Returns the target to resume after take_over(), once.
  [[nodiscard]] std::optional<JoinedTarget> take_next();
  /// Waits, as an idle rank, for an invitation. None when all work is done.
  [[nodiscard]] std::optional<JoinedTarget> wait();
  void leave() { idle_.leave(); }
  /// Makes the communicator of the new group. Collective over its members.
  [[nodiscard]] comm::Communicator group_of(const JoinedTarget& joined) const;

 private:
  [[nodiscard]] std::string describe_ranks(std::span<const int> ranks) const;

  comm::Communicator live_;
  std::vector<int> nodes_, world_ranks_;
  std::vector<std::string> gpus_;  // (ranks)
  comm::IdleRanks idle_;
  std::vector<int> claimed_, idle_before_;
  bool has_published_ = false;
  std::optional<std::size_t> refused_;  // target of the last reported refusal
  std::optional<JoinedTarget> next_;
};

}  // namespace nfold::batch
