// Decision whether, how many and which idle ranks join a running target.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "comm/idle_ranks.hpp"
#include "session/job/join_query.hpp"

namespace nfold::batch {

struct JoiningDecision {
  int joining = 0;     ///< Number of idle ranks that join; 0: none.
  std::string reason;  ///< Reason with its numbers. Empty if no rank could be used.
};

/// Returns the number of idle ranks for the work published by rank `own`, if each idle rank goes to
/// the work with the longest remaining time. Keeps one target from taking all of them.
[[nodiscard]] int fair_part(std::span<const comm::OpenWork> published, int own, int idle);

/// Decides how many of `idle` ranks join the `ranks` of a target. Pure function. most_ranks: upper
/// bound for this target.
[[nodiscard]] JoiningDecision decide_joining(const job::RemainingRun& rest, int ranks,
                                             int most_ranks, int idle);

/// Returns the idle ranks whose GPU is used by no member and no other returned rank, since sharing
/// a GPU with a member gains nothing. gpus: (ranks) names; empty: CPU rank.
[[nodiscard]] std::vector<int> with_exclusive_device(std::span<const int> idle,
                                                     std::span<const int> members,
                                                     std::span<const std::string> gpus);

/// Sorts idle ranks: first those of the node of `asking`, then by nodes with the most idle ranks.
/// nodes: (ranks).
[[nodiscard]] std::vector<int> nearest_first(std::span<const int> idle, std::span<const int> nodes,
                                             int asking);

}  // namespace nfold::batch
