// Interpolation of times, and the heap of free ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/rank_shares.hpp"

#include <algorithm>
#include <cstddef>

#include "estimate/layouts.hpp"

namespace nfold::estimate {
SecondsByRanks::SecondsByRanks(int most, const std::function<double(int)>& seconds_on) {
  for (const int ranks : candidate_counts(most)) {
    const double seconds = seconds_on(ranks);
    entries_.emplace_back(ranks,
                          entries_.empty() ? seconds : std::min(seconds, entries_.back().second));
  }
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

int SecondsByRanks::fewest_within(double seconds) const {
  const double reachable = std::max(seconds, entries_.back().second);
  const auto within = std::ranges::lower_bound(entries_, reachable, std::ranges::greater(),
                                               &std::pair<int, double>::second);
  if (within == entries_.begin()) return within->first;
  const auto [below, longer] = *(within - 1);
  const auto [above, shorter] = *within;
  const double part = (longer - reachable) / (longer - shorter);
  const double inverse = 1.0 / below - part * (1.0 / below - 1.0 / above);
  int fewest = std::clamp(static_cast<int>(1 / inverse), below + 1, above);
  while (fewest < above && on(fewest) > reachable) ++fewest;
  return fewest;
}

FreeRanks::FreeRanks(int ranks) : free_at_{{0, ranks}} {}

double FreeRanks::take(int members, double seconds) {
  double begin = 0;
  for (int missing = members; missing > 0;) {
    auto& [time, ranks] = free_at_.front();
    begin = time;
    const int taken = std::min(missing, ranks);
    missing -= taken;
    ranks -= taken;
    if (ranks > 0) continue;
    std::ranges::pop_heap(free_at_, std::greater());
    free_at_.pop_back();
  }
  last_ = std::max(last_, begin + seconds);
  free_at_.emplace_back(begin + seconds, members);
  std::ranges::push_heap(free_at_, std::greater());
  return begin;
}

}  // namespace nfold::estimate
