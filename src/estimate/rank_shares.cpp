// Interpolation of times, and the heap of free ranks.
// SPDX-License-Identifier: BSD-3-Clause

#include "estimate/rank_shares.hpp"

#include <algorithm>
#include <cstddef>

#include "estimate/layouts.hpp"

namespace nfold::estimate {
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

}  // namespace nfold::estimate
