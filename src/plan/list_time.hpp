// How long ranks take for a list of targets, where a rank works on several of them at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "plan/dispatch.hpp"
#include "plan/machine.hpp"
#include "plan/rank_shares.hpp"

namespace nfold::plan {

/// Processors' worth of replicas that a rank works on at once. On a GPU twice what fills it: while
/// the host does one target's exchanges and files, the other's replicas go on.
[[nodiscard]] constexpr double processors_filled(bool on_gpu) { return on_gpu ? 2 : 1; }

/// What a target takes of a rank, a GPU with its host or a core [s].
struct ListedTarget {
  SecondsByRanks seconds;  ///< from its start to its row, with nothing beside it
  /// Of one rank's what no other target's host work overlaps: one thread serves all.
  double host = 0;
  double device = 0;              ///< its steps, in time of a processor that is full of replicas
  double beside = 0;              ///< of one rank's all but the steps
  double room = 1;                ///< part of what a rank works on at once
  bool may_have_company = false;  ///< resident replicas
};

/// Of a target that ranks don't share. taken: what it takes alone, as predicted or learned. The
/// host's thread is taken by each part's beginning and end, and by looks, as profiles of lists
/// told; analysis is made aside, and the rest of what a part takes beside its steps are waits. A
/// GPU is filled by a replica on each multiprocessor. On a core nothing overlaps.
[[nodiscard]] ListedTarget listed_target(const Machine& machine, bool on_gpu,
                                         const TargetWork& work, const WorkSeconds& taken);

struct ListSeconds {
  double seconds = 0;
  std::string_view most_goes_to;  ///< in words
  bool has_company = false;       ///< whether targets overlap
};

/// Targets that ranks draw from one queue, the longest first. Of those side by side a rank takes as
/// long as what they share needs for all of them: the host's thread, the processor, or the room for
/// so many at once; and then what one target takes beside that. Other targets take their time one
/// after another. How many ranks share a target is what shares_of_ranks() says.
class ListTime {
 public:
  /// side_by_side: targets at once on a rank, at most.
  ListTime(std::vector<ListedTarget> targets, int side_by_side);

  [[nodiscard]] ListSeconds on(int ranks) const;

 private:
  std::vector<ListedTarget> targets_;    // the longest first
  std::vector<SecondsByRanks> seconds_;  // of each
  double side_by_side_;
};

}  // namespace nfold::plan
