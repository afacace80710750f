// Shared resources of concurrent targets, and their distribution over ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/list_time.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "estimate/layouts.hpp"

namespace nfold::estimate {
namespace {

/// Work of the host thread that all targets of a GPU share [s]. A part: its start, checkpoint and
/// files. A gather waits behind the other targets' kernels. From profiles of a hundred targets
/// (2026-11-26).
constexpr double host_seconds_per_part = 0.055, host_seconds_per_gather = 350e-6;

/// Sums over the concurrent targets of a rank [s].
struct Shared {
  double alone = 0, host = 0, device = 0, capacity_share = 0;
  std::size_t targets = 0;

  void add(const ListedTarget& target, double side_by_side) {
    alone += target.seconds.alone();
    host += target.host;
    device += target.device;
    capacity_share += target.seconds.alone() * std::max(1 / side_by_side, target.capacity_share);
    ++targets;
  }
  /// Returns the time of the scarcest resource.
  [[nodiscard]] double needed() const { return std::max({host, device, capacity_share}); }
  /// Returns the time taken per second of a target alone.
  [[nodiscard]] double pace() const { return alone > 0 ? needed() / alone : 1; }
  /// Returns the time of the last target beyond needed().
  [[nodiscard]] double rest_of_one() const {
    return targets > 0 ? (alone - needed()) / static_cast<double>(targets) : 0;
  }
};

}  // namespace

ListedTarget listed_target(const Machine& machine, bool on_gpu, const TargetWork& work,
                           const WorkSeconds& taken) {
  const Layout one{1, 1, on_gpu};
  const double places = on_gpu ? machine.gpu.value().units : 1;
  ListedTarget target;
  target.seconds = SecondsByRanks(taken.all());
  target.overhead = taken.overhead;
  target.may_run_concurrently = work.is_resident_on(to_backend(one));
  double steps = 0, filled = 0, host = 0, least_filled = 1;
  for (const auto& part : work.parts) {
    TargetWork of_part = work;
    of_part.parts = {part};
    const double seconds = work_seconds(machine, one, of_part, 1).steps;
    const double share = std::min(1.0, static_cast<double>(part.replicas) / places);
    steps += seconds;
    filled += seconds * share;
    least_filled = std::min(least_filled, share);
    host +=
        host_seconds_per_part + host_seconds_per_gather * static_cast<double>(part.energy_gathers);
  }
  const double by_entry = work_seconds(machine, one, work, 1).overhead;
  target.host =
      on_gpu && by_entry > 0 ? taken.overhead * std::min(1.0, host / by_entry) : taken.overhead;
  target.device = steps > 0 ? taken.steps * filled / steps : taken.steps;
  target.capacity_share = least_filled / processors_filled(on_gpu);
  return target;
}

ListTime::ListTime(std::vector<ListedTarget> targets, int side_by_side)
    : targets_(std::move(targets)), side_by_side_(side_by_side) {
  std::ranges::stable_sort(targets_, std::ranges::greater(),
                           [](const auto& target) { return target.seconds.alone(); });
  for (const auto& target : targets_) seconds_.push_back(target.seconds);
}

ListSeconds ListTime::on(int ranks) const {
  const auto shares = assign_ranks(seconds_, ranks);
  const auto is_concurrent = [&](std::size_t k) {
    return targets_[k].may_run_concurrently && shares[k] == 1;
  };
  double all = 0, overhead = 0;
  Shared shared;
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    all += seconds_[k].alone();
    overhead += targets_[k].overhead;
    if (is_concurrent(k)) shared.add(targets_[k], side_by_side_);
  }
  FreeRanks free(ranks);
  for (std::size_t k = 0; k < targets_.size(); ++k) {
    free.take(shares[k], seconds_[k].on(shares[k]) * (is_concurrent(k) ? shared.pace() : 1));
  }
  ListSeconds list;
  list.seconds = free.last() + shared.rest_of_one();
  list.is_concurrent = shared.needed() < shared.alone;
  const bool waits_for_host = list.is_concurrent && shared.host == shared.needed();
  if (waits_for_host && shared.needed() > (all - shared.alone)) {
    list.bottleneck = "starts and files of targets on the host";
  } else {
    list.bottleneck =
        2 * overhead > all ? "what targets do beside their steps" : "steps of targets";
  }
  return list;
}

}  // namespace nfold::estimate
