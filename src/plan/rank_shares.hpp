// How ranks share a list of targets: how many each target gets, and when it begins and ends.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace nfold::plan {

/// What a target takes [s] on any number of ranks that share it, by what it takes on some of them.
class SecondsByRanks {
 public:
  SecondsByRanks() : SecondsByRanks(0) {}
  /// Of a target that one rank alone computes.
  explicit SecondsByRanks(double alone) : told_{{1, alone}} {}
  /// Of a target that up to `most` ranks can share. seconds_on(ranks): asked for numbers_up_to().
  SecondsByRanks(int most, const std::function<double(int)>& seconds_on);

  [[nodiscard]] double alone() const { return told_.front().second; }
  [[nodiscard]] int most() const { return told_.back().first; }
  /// ranks: from 1 to most(). Between two that are known it is linear in the inverse number.
  [[nodiscard]] double on(int ranks) const;
  /// The fewest that take no longer than this; where none do, the fewest of the shortest time.
  [[nodiscard]] int fewest_within(double seconds, int most_ranks) const;

  /// (numbers) For other ranks of a job: pairs of a number of ranks and its seconds.
  [[nodiscard]] const std::vector<std::pair<int, double>>& told() const { return told_; }
  explicit SecondsByRanks(std::vector<std::pair<int, double>> told) : told_(std::move(told)) {}

 private:
  std::vector<std::pair<int, double>> told_;  // never empty; the first is of one rank
};

/// When each of some ranks is free, while they take one target after another.
class FreeRanks {
 public:
  explicit FreeRanks(int ranks);

  /// The first `members` that are free take a target for so long; who comes first waits for the
  /// others. Returns when it begins.
  double take(int members, double seconds);
  /// When all are free.
  [[nodiscard]] double last() const { return last_; }

 private:
  std::vector<double> free_at_;  // a heap, the first on top
  double last_ = 0;
};

/// (targets) How many ranks share each target, so that a list whose longest targets come first ends
/// soonest by prediction. A target has more than one only where the list gains by that. `targets`
/// may stand in any order.
[[nodiscard]] std::vector<int> shares_of_ranks(std::span<const SecondsByRanks> targets, int ranks);

}  // namespace nfold::plan
