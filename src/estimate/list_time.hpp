// Time of a list of targets on ranks that compute several targets at once.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "estimate/dispatch.hpp"
#include "estimate/machine.hpp"
#include "estimate/rank_shares.hpp"

namespace nfold::estimate {

/// Returns the processors' worth of replicas that a rank computes at once. On a GPU twice what
/// fills it: while the host does one target's replica exchanges and files, other replicas go on.
[[nodiscard]] constexpr double processors_filled(bool on_gpu) { return on_gpu ? 2 : 1; }

/// Time of a target on one rank, a GPU with its host or a core [s].
struct ListedTarget {
  SecondsByRanks seconds;  ///< from start to result row, alone on its ranks
  /// Host work of one rank that does not overlap other targets' host work: one thread does all.
  double host = 0;
  double device = 0;          ///< steps, as the time of a processor that is full of replicas
  double overhead = 0;        ///< overhead on one rank
  double capacity_share = 1;  ///< fraction of a rank's concurrent capacity
  bool may_run_concurrently = false;  ///< resident replicas, which may run concurrently
};

/// Returns the entry of a target on one rank. taken: its time alone, estimated or learned. The host
/// thread is occupied by the start and end of each part and by gathers, according to profiles of
/// lists; analysis runs aside, and the rest of a part's overhead is waiting. A GPU is filled by one
/// replica on each multiprocessor. On a core nothing overlaps.
[[nodiscard]] ListedTarget listed_target(const Machine& machine, bool on_gpu,
                                         const TargetWork& work, const WorkSeconds& taken);

struct ListSeconds {
  double seconds = 0;
  std::string_view bottleneck;  ///< description of the largest part
  bool is_concurrent = false;   ///< true if targets overlap
};

/// Time of targets that ranks draw from one queue, longest first. Concurrent targets of a rank take
/// as long as the scarcest shared resource needs for all of them (host thread, processor, or
/// capacity for concurrent replicas), plus the rest of one target. Other targets run one after
/// another. assign_ranks() gives the number of ranks that share a target.
class ListTime {
 public:
  /// side_by_side: most targets at once on a rank.
  ListTime(std::vector<ListedTarget> targets, int side_by_side);

  [[nodiscard]] ListSeconds on(int ranks) const;

 private:
  std::vector<ListedTarget> targets_;    // longest first
  std::vector<SecondsByRanks> seconds_;  // (targets)
  double side_by_side_;
};

}  // namespace nfold::estimate
