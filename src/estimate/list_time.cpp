// Shared resources of concurrent targets, and their distribution over ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/list_time.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "estimate/layouts.hpp"

namespace nfold::estimate {
namespace {

/// Work of the host thread that all targets of a GPU share [s]. A part: its start, checkpoint and
/// files. A gather waits behind the other targets' kernels. From profiles of a hundred targets
/// (2026-11-26).
constexpr double host_seconds_per_part = 0.055, host_seconds_per_gather = 350e-6;
/// Time of a shared target over its estimate: ranks that wait for each other lose time.
constexpr double waiting_factor = 1.02;
/// Ratio of successive limits of a target's time.
constexpr double limit_ratio = 0.84;

/// Returns each number to 64, then steps of a 64th. Those of fewer ranks are among those of more.
std::vector<int> numbers_of_ranks(int most) {
  constexpr int finest = 64;
  std::vector<int> numbers;
  for (int number = 1; number <= most; number += std::max(1, number / finest)) {
    numbers.push_back(number);
  }
  return numbers;
}

double seconds_on(const ListedTarget& target, int ranks) {
  return ranks > 1 ? waiting_factor * target.seconds.on(ranks) : target.seconds.alone();
}

}  // namespace

/// Ranks of each target under a limit of its time.
struct ListTime::Distribution {
  std::vector<int> ranks;  // (first targets of the order); the other targets have one
  ListSums sums;
  double longest = 0;  // [s]
  std::size_t longest_target = 0;

  [[nodiscard]] int of(std::size_t position) const {
    return position < ranks.size() ? ranks[position] : 1;
  }
  /// Time of concurrent targets per second that they take alone.
  [[nodiscard]] double pace() const {
    return sums.concurrent > 0 ? sums.needed() / sums.concurrent : 1;
  }
  /// Time of the last concurrent target beyond needed() [s].
  [[nodiscard]] double rest_of_one() const {
    return sums.concurrent_count > 0
               ? (sums.concurrent - sums.needed()) / static_cast<double>(sums.concurrent_count)
               : 0;
  }
  /// Lower bound of the list's time: all ranks are busy until the end.
  [[nodiscard]] double least_seconds(int job_ranks) const {
    return std::max(longest, sums.busy() / job_ranks + rest_of_one());
  }
};

double ListSums::needed() const { return std::max({host, device, capacity}); }

ListedTarget listed_target(const Machine& machine, bool on_gpu, const TargetWork& work,
                           const WorkSeconds& taken) {
  const Layout one{1, 1, on_gpu};
  const double places = on_gpu && machine.gpu ? machine.gpu->units : 1;
  ListedTarget target;
  target.seconds = SecondsByRanks(taken.all());
  target.overhead = taken.overhead;
  target.may_run_concurrently = work.is_resident;
  double steps = 0, filled = 0, host = 0, by_entry = 0, least_filled = 1;
  TargetWork of_part = work;
  for (const auto& part : work.parts) {
    of_part.parts = {part};
    const auto seconds = work_seconds(machine, one, of_part, 1);
    const double share = std::min(1.0, static_cast<double>(part.replicas) / places);
    steps += seconds.steps;
    by_entry += seconds.overhead;
    filled += seconds.steps * share;
    least_filled = std::min(least_filled, share);
    host +=
        host_seconds_per_part + host_seconds_per_gather * static_cast<double>(part.energy_gathers);
  }
  target.host =
      on_gpu && by_entry > 0 ? taken.overhead * std::min(1.0, host / by_entry) : taken.overhead;
  target.device = steps > 0 ? taken.steps * filled / steps : taken.steps;
  target.capacity_share = least_filled / processors_filled(on_gpu);
  return target;
}

ListTime::ListTime(std::vector<ListedTarget> targets, int side_by_side)
    : targets_(std::move(targets)),
      side_by_side_(side_by_side),
      order_(targets_.size()),
      sums_(targets_.size() + 1) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  std::ranges::stable_sort(order_, std::ranges::greater(),
                           [&](std::size_t k) { return targets_[k].seconds.alone(); });
  for (std::size_t position = order_.size(); position > 0; --position) {
    auto& sums = sums_[position - 1];
    sums = sums_[position];
    add(order_[position - 1], sums);
  }
}

/// Adds a target on one rank.
void ListTime::add(std::size_t target, ListSums& sums) const {
  const auto& one = targets_[target];
  const double alone = one.seconds.alone();
  if (!one.may_run_concurrently) {
    sums.serial += alone;
    sums.serial_overhead += one.overhead;
    return;
  }
  sums.concurrent += alone;
  sums.overhead += one.overhead;
  sums.host += one.host;
  sums.device += one.device;
  sums.capacity += alone * std::max(1 / side_by_side_, one.capacity_share);
  ++sums.concurrent_count;
}

double ListTime::longest_on(int ranks, double factor) const {
  double longest = 0;
  for (const auto k : order_) {
    const auto& seconds = targets_[k].seconds;
    if (seconds.alone() <= longest) break;
    longest = std::max(longest, std::min(seconds.alone(), factor * seconds.on(ranks)));
  }
  return longest;
}

std::optional<ListTime::Distribution> ListTime::distribute(double limit, double latest) const {
  Distribution result;
  const auto take_longest = [&](std::size_t position, int ranks) {
    const double seconds = seconds_on(targets_[order_[position]], ranks);
    if (seconds <= result.longest) return;
    result.longest = seconds;
    result.longest_target = order_[position];
  };
  for (const auto k : order_) {
    const auto& seconds = targets_[k].seconds;
    if (seconds.alone() <= limit) break;
    const int ranks = seconds.fewest_within(limit);
    take_longest(result.ranks.size(), ranks);
    if (result.longest > latest) return std::nullopt;
    result.ranks.push_back(ranks);
  }
  const auto shared = result.ranks.size();
  result.sums = sums_[shared];
  if (shared < order_.size()) take_longest(shared, 1);
  for (std::size_t position = 0; position < shared; ++position) {
    const auto k = order_[position];
    const int ranks = result.ranks[position];
    if (ranks == 1) {
      add(k, result.sums);
    } else {
      result.sums.serial += ranks * seconds_on(targets_[k], ranks);
      result.sums.serial_overhead += targets_[k].overhead;
    }
  }
  return result;
}

double ListTime::end_of(const Distribution& distribution, int ranks) const {
  FreeRanks free(ranks);
  const double pace = distribution.pace();
  for (std::size_t position = 0; position < order_.size(); ++position) {
    const auto& target = targets_[order_[position]];
    const int members = distribution.of(position);
    const bool overlaps = target.may_run_concurrently && members == 1;
    free.take(members, seconds_on(target, members) * (overlaps ? pace : 1));
  }
  return std::max(distribution.longest, free.last() + distribution.rest_of_one());
}

ListSeconds ListTime::describe(const Distribution& distribution, double seconds) const {
  const auto& sums = distribution.sums;
  ListSeconds list;
  list.seconds = seconds;
  list.shares.assign(targets_.size(), 1);
  for (std::size_t position = 0; position < distribution.ranks.size(); ++position) {
    list.shares[order_[position]] = distribution.ranks[position];
  }
  list.longest = distribution.longest_target;
  list.longest_seconds = distribution.longest;
  const double needed = sums.needed();
  list.is_concurrent = needed < sums.concurrent;
  list.waits_for_host = list.is_concurrent && sums.host == needed;
  double overhead = sums.serial_overhead;
  if (list.waits_for_host) {
    overhead += needed;
  } else if (sums.concurrent > 0 && (!list.is_concurrent || sums.device < needed)) {
    overhead += needed * sums.overhead / sums.concurrent;
  }
  if (sums.busy() > 0) list.steps = seconds * (1 - std::min(1.0, overhead / sums.busy()));
  return list;
}

/// Tries limits of a target's time: what the longest target takes on each number of ranks, then
/// even steps, each from the shortest that may help. Those of fewer ranks are among those of more,
/// and a distribution ends no later on more ranks: therefore more ranks never lengthen a list.
ListSeconds ListTime::on(int ranks) const {
  if (order_.empty()) return {};
  Distribution best;
  double soonest = std::numeric_limits<double>::infinity();
  const auto try_limit = [&](double limit) {
    auto trial = distribute(limit, soonest);
    if (!trial || trial->least_seconds(ranks) > soonest) return;
    const double end = end_of(*trial, ranks);
    if (end > soonest) return;
    soonest = end;
    best = std::move(*trial);
  };
  const double alone = targets_[order_.front()].seconds.alone();
  const double work = sums().busy() / ranks, shortest = longest_on(ranks);
  const double least = longest_on(ranks, waiting_factor);
  const auto numbers = numbers_of_ranks(ranks);
  auto number =
      std::ranges::partition_point(numbers, [&](int one) { return longest_on(one) >= work; });
  for (double last = 0; number != numbers.begin() && soonest > least; --number) {
    const double limit = longest_on(*(number - 1));
    if (limit > soonest) break;
    if (limit != last) try_limit(limit);
    last = limit;
  }
  std::vector<double> steps;
  for (double limit = alone * limit_ratio; limit > std::max(work, shortest); limit *= limit_ratio) {
    steps.push_back(limit);
  }
  for (auto limit = steps.rbegin(); limit != steps.rend() && soonest > least; ++limit) {
    try_limit(*limit);
  }
  try_limit(alone);
  return describe(best, soonest);
}

void estimate_sharing(std::vector<ListedTarget>& targets, int side_by_side, int ranks,
                      const std::function<SecondsByRanks(std::size_t)>& seconds_of) {
  const double least = ListTime(targets, side_by_side).sums().busy() / ranks;
  for (std::size_t k = 0; k < targets.size(); ++k) {
    if (targets[k].seconds.alone() > least) targets[k].seconds = seconds_of(k);
  }
}

}  // namespace nfold::estimate
