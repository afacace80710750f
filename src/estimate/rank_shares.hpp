// Time of a target by the ranks that share it, and times at which ranks become free.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <utility>
#include <vector>

namespace nfold::estimate {

/// Time of a target [s] for any number of ranks that may share it, interpolated between known
/// numbers. It never rises with the ranks: a target need not use all of them.
class SecondsByRanks {
 public:
  SecondsByRanks() : SecondsByRanks(0) {}
  /// Target that a single rank computes.
  explicit SecondsByRanks(double alone) : entries_{{1, alone}} {}
  /// Target that up to `most` ranks can share. seconds_on(ranks) is called for
  /// candidate_counts(most).
  SecondsByRanks(int most, const std::function<double(int)>& seconds_on);

  [[nodiscard]] double alone() const { return entries_.front().second; }
  [[nodiscard]] int most() const { return entries_.back().first; }
  /// Returns the time for `ranks`, at least 1; linear in the inverse number between known numbers.
  [[nodiscard]] double on(int ranks) const;
  /// Returns the fewest ranks that take no longer than `seconds`; if none do, the fewest of the
  /// shortest time.
  [[nodiscard]] int fewest_within(double seconds) const;

  /// (numbers) Returns pairs of a number of ranks and its seconds, to send to other ranks.
  [[nodiscard]] const std::vector<std::pair<int, double>>& entries() const { return entries_; }
  explicit SecondsByRanks(std::vector<std::pair<int, double>> entries)
      : entries_(std::move(entries)) {}

 private:
  std::vector<std::pair<int, double>> entries_;  // never empty; the first entry is for one rank
};

/// Times at which ranks become free while they take one target after another.
class FreeRanks {
 public:
  explicit FreeRanks(int ranks);

  /// Assigns a target to the first `members` free ranks, which wait for each other. Returns its
  /// start.
  double take(int members, double seconds);
  /// Returns the time at which all ranks are free.
  [[nodiscard]] double last() const { return last_; }

 private:
  std::vector<std::pair<double, int>> free_at_;  // time and ranks; heap, earliest on top
  double last_ = 0;
};

}  // namespace nfold::estimate
