// Search for the time limit per target under which a list ends soonest.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/rank_shares.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "estimate/layouts.hpp"

namespace nfold::estimate {
namespace {

/// Number of limits tried, between the longest target's time on one rank and a lower bound of the
/// list.
constexpr int doublings_of_limits = 4, limits_tried = 1 << doublings_of_limits;
/// Smallest relative gain of sharing: ranks that wait for each other lose time that no estimate
/// covers.
constexpr double least_gain = 0.02;

double end_of(std::span<const SecondsByRanks> targets, const std::vector<std::size_t>& order,
              const std::vector<int>& shares, int ranks) {
  FreeRanks free(ranks);
  for (const auto k : order) free.take(shares[k], targets[k].on(shares[k]));
  return free.last();
}

}  // namespace

SecondsByRanks::SecondsByRanks(int most, const std::function<double(int)>& seconds_on) {
  for (const int ranks : candidate_counts(most)) entries_.emplace_back(ranks, seconds_on(ranks));
}

double SecondsByRanks::on(int ranks) const {
  const auto above = std::ranges::lower_bound(entries_, ranks, {}, &std::pair<int, double>::first);
  if (above == entries_.end()) return entries_.back().second;
  if (above->first == ranks || above == entries_.begin()) return above->second;
  const auto below = above - 1;
  const double inverse_below = 1.0 / below->first, inverse_above = 1.0 / above->first;
  const double part = (inverse_below - 1.0 / ranks) / (inverse_below - inverse_above);
  return below->second + part * (above->second - below->second);
}

int SecondsByRanks::fewest_within(double seconds, int most_ranks) const {
  int best = 1;
  double shortest = alone();
  const int last = std::min(most_ranks, most());
  for (std::size_t k = 1; k < entries_.size() && shortest > seconds; ++k) {
    const int before = entries_[k - 1].first, ranks = std::min(last, entries_[k].first);
    if (ranks <= before) break;
    const double taken = on(ranks);
    if (taken >= shortest) continue;
    best = ranks;
    shortest = taken;
    // Fewer may suffice: tries each number down to the previous known one.
    for (int fewer = ranks - 1; fewer > before && on(fewer) <= seconds; --fewer) best = fewer;
  }
  return best;
}

FreeRanks::FreeRanks(int ranks) : free_at_(static_cast<std::size_t>(ranks), 0) {}

double FreeRanks::take(int members, double seconds) {
  double begin = 0;
  for (int k = 0; k < members; ++k) {
    std::pop_heap(free_at_.begin(), free_at_.end() - k, std::greater());
    begin = free_at_[free_at_.size() - 1 - static_cast<std::size_t>(k)];
  }
  last_ = std::max(last_, begin + seconds);
  for (int k = members; k > 0; --k) {
    free_at_[free_at_.size() - static_cast<std::size_t>(k)] = begin + seconds;
    std::push_heap(free_at_.begin(), free_at_.end() - (k - 1), std::greater());
  }
  return begin;
}

std::vector<int> assign_ranks(std::span<const SecondsByRanks> targets, int ranks) {
  std::vector<int> best(targets.size(), 1);
  double all = 0, longest = 0, least = 0;
  for (const auto& target : targets) {
    all += target.alone();
    longest = std::max(longest, target.alone());
  }
  // Lower bound: all ranks are busy until the end.
  least = all / ranks;
  if (longest <= least) return best;
  for (const auto& target : targets) {
    if (target.alone() > least)
      least = std::max(least, target.on(target.fewest_within(least, ranks)));
  }
  std::vector<std::size_t> order(targets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](std::size_t k) { return targets[k].alone(); });
  // Square roots round alike on all machines: ranks of several hosts must get the same result.
  double ratio = least / longest, limit = longest;
  for (int k = 0; k < doublings_of_limits; ++k) ratio = std::sqrt(ratio);
  double soonest = (1 - least_gain) * end_of(targets, order, best, ranks);
  for (int k = 0; k < limits_tried; ++k) {
    limit *= ratio;
    std::vector<int> shares(targets.size(), 1);
    for (const auto number : order) {
      if (targets[number].alone() <= limit) break;
      shares[number] = targets[number].fewest_within(limit, ranks);
    }
    const double end = end_of(targets, order, shares, ranks);
    if (end < soonest) {
      soonest = end;
      best = std::move(shares);
    }
  }
  return best;
}

}  // namespace nfold::estimate
