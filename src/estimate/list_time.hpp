// Time of a list of targets on ranks that compute several targets at once, and ranks of each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
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

/// Time of a list, and how its ranks are distributed.
struct ListSeconds {
  double seconds = 0;
  double steps = 0;         ///< part of `seconds` that goes to steps
  std::vector<int> shares;  ///< (targets) ranks that share each
  std::size_t longest = 0;  ///< index of the target that takes longest on its ranks
  double longest_seconds = 0;
  bool is_concurrent = false;   ///< true if targets overlap
  bool waits_for_host = false;  ///< true if the host's thread limits what overlaps
};

/// Sums over the targets of one rank [s].
struct ListSums {
  double serial = 0, serial_overhead = 0;  ///< targets that run alone
  double concurrent = 0, overhead = 0;     ///< the other targets, each as if it were alone
  double host = 0, device = 0, capacity = 0;
  std::size_t concurrent_count = 0;
  /// Returns the time of the scarcest resource of concurrent targets.
  [[nodiscard]] double needed() const;
  /// Returns the time that one rank is busy.
  [[nodiscard]] double busy() const { return serial + needed(); }
};

/// Time of targets that ranks draw from one queue, longest first. Concurrent targets of a rank take
/// as long as the scarcest shared resource needs for all of them (host thread, processor, or
/// capacity for concurrent replicas), plus the rest of one target. Other targets run one after
/// another. A target is shared by several ranks where the list ends sooner by that. More ranks
/// never lengthen a list, and no list is shorter than its longest target.
class ListTime {
 public:
  /// side_by_side: most targets at once on a rank.
  ListTime(std::vector<ListedTarget> targets, int side_by_side);

  /// Returns the shortest time of all distributions that are tried. Equal on all hosts.
  [[nodiscard]] ListSeconds on(int ranks) const;
  /// Returns the sums of all targets, one rank each.
  [[nodiscard]] const ListSums& sums() const { return sums_.front(); }

 private:
  struct Distribution;

  void add(std::size_t target, ListSums& sums) const;
  /// Returns the longest target's time if each has this many ranks. factor: of times on several.
  [[nodiscard]] double longest_on(int ranks, double factor = 1) const;
  /// Returns the fewest ranks of each target within the limit of its time; none if one of them
  /// takes longer than `latest`.
  [[nodiscard]] std::optional<Distribution> distribute(double limit, double latest) const;
  [[nodiscard]] double end_of(const Distribution& distribution, int ranks) const;
  [[nodiscard]] ListSeconds describe(const Distribution& distribution, double seconds) const;

  std::vector<ListedTarget> targets_;
  double side_by_side_;
  std::vector<std::size_t> order_;  // targets, longest first
  std::vector<ListSums> sums_;      // (targets + 1) of targets from this position of the order on
};

/// Sets the seconds of those targets that some of `ranks` ranks may share with gain to
/// seconds_of(target).
void estimate_sharing(std::vector<ListedTarget>& targets, int side_by_side, int ranks,
                      const std::function<SecondsByRanks(std::size_t)>& seconds_of);

}  // namespace nfold::estimate
