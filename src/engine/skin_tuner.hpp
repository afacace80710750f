// Autotuning of the neighbour-list skin by timing; without effect on results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace nfold::engine {

/// Hill climb on speed: a skin is kept for some lists, and its seconds per step are compared with
/// those of the best so far. Trials are skins longer and shorter by one factor of 1.25, then by
/// two, because the cost is stepped where lists fill whole rounds of a kernel. If all were slower,
/// the best is measured once more, since a single measurement may have been lucky; if it is
/// confirmed, the tuner rests, longer after each round without improvement, since a system changes.
/// All ranks must pass the same numbers.
class SkinTuner {
 public:
  explicit SkinTuner(double first_nm) : best_nm_(first_nm), tried_nm_(first_nm) {}
  /// Longest skin that is tried, for a rank with so many residues; list capacity is reserved for
  /// it. With few residues kernels cost less than latency, so that long skins may pay.
  [[nodiscard]] static constexpr double longest_nm(double first_nm, std::int64_t residues_of_rank) {
    constexpr std::int64_t few = 20'000, some = 100'000;
    const int factors = residues_of_rank <= few ? 6 : residues_of_rank <= some ? 4 : 2;
    for (int k = 0; k < factors; ++k) first_nm *= factor;
    return first_nm;
  }

  /// Records one list's lifetime in steps and its seconds, including the build. Returns the skin of
  /// the next list.
  double next(std::int64_t steps, double seconds) {
    steps_ += steps;
    seconds_ += seconds;
    ++lists_;
    if (lists_ < lists_a_trial || steps_ < steps_a_trial) return tried_nm_;
    const double cost = seconds_ / static_cast<double>(steps_);
    steps_ = 0;
    seconds_ = 0;
    lists_ = 0;
    if (rest_ > 0) {
      if (--rest_ > 0) return tried_nm_;
      remeasures_best_ = true;
      rounds_ = 0;
    }
    return judge(cost);
  }

  /// Limits trials to skins of at most `longest_nm`, unless the best is longer already.
  void limit_skin(double longest_nm) { longest_nm_ = std::min(longest_nm_, longest_nm); }
  /// Like limit_skin(), but reduces the best skin too, after lists of the tried skin overflowed.
  /// Returns the skin of the next list; trials start again around it.
  double shorten_skin_to(double longest_nm) {
    limit_skin(longest_nm);
    best_nm_ = std::min(best_nm_, longest_nm_);
    tried_nm_ = best_nm_;
    remeasures_best_ = true;
    rounds_ = rest_ = lists_ = 0;
    rest_next_ = least_rest;
    steps_ = 0;
    seconds_ = 0;
    return tried_nm_;
  }
  /// True while it rests.
  [[nodiscard]] bool is_settled() const { return rest_ > 0; }

 private:
  static constexpr double factor = 1.25, shortest_nm = 0.05, gain = 0.99;
  static constexpr int lists_a_trial = 2, least_rest = 200, most_rest = 1600;
  static constexpr int rounds_at_most = 3;  // rounds of trials around one best skin before a rest
  static constexpr std::int64_t steps_a_trial = 50;
  static constexpr std::array<int, 4> offsets{1, -1, 2,
                                              -2};  // in the direction of the last improvement

  double judge(double cost) {
    if (remeasures_best_) {
      remeasures_best_ = false;
      const bool stands = rounds_ > 0 && gain * cost <= best_cost_;
      best_cost_ = cost;
      if (stands || rounds_ == rounds_at_most) return start_rest();
      ++rounds_;
      attempt_ = 0;
    } else if (cost < gain * best_cost_) {
      if (tried_nm_ < best_nm_) direction_ = -1;
      if (tried_nm_ > best_nm_) direction_ = 1;
      best_cost_ = cost;
      best_nm_ = tried_nm_;
      rest_next_ = least_rest;
      rounds_ = 1;
      attempt_ = 0;
    }
    return try_beside_best();
  }
  double try_beside_best() {
    while (attempt_ < offsets.size()) {
      const int offset = direction_ * offsets[attempt_++];
      double nm = best_nm_;
      for (int k = 0; k < offset; ++k) nm *= factor;
      for (int k = 0; k > offset; --k) nm /= factor;
      tried_nm_ = std::clamp(nm, shortest_nm, std::max(longest_nm_, best_nm_));
      if (tried_nm_ != best_nm_) return tried_nm_;
    }
    remeasures_best_ = true;
    tried_nm_ = best_nm_;
    return tried_nm_;
  }
  double start_rest() {
    rest_ = rest_next_;
    rest_next_ = std::min(2 * rest_next_, most_rest);
    tried_nm_ = best_nm_;
    return tried_nm_;
  }

  double best_nm_, tried_nm_, longest_nm_ = 1;
  double best_cost_ = 0;         // [s per step]
  bool remeasures_best_ = true;  // the current trial remeasures the best skin
  int direction_ = 1, rounds_ = 0, rest_ = 0, rest_next_ = least_rest, lists_ = 0;
  std::size_t attempt_ = 0;
  std::int64_t steps_ = 0;
  double seconds_ = 0;
};

}  // namespace nfold::engine
