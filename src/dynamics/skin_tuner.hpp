// The skin of the neighbour lists, chosen by measuring; never in the bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace nfold::dynamics {

/// Walks uphill in speed: a skin is kept for some lists, and its seconds per step are compared with
/// those of the best so far. Tried are skins longer and shorter by a quarter, then by two, since
/// the cost has steps where lists fill whole rounds of a kernel. When all were slower the best is
/// measured once more, since a single measurement may have been lucky; if it stands, the tuner
/// rests, longer each time that nothing better was found, since a system changes. All ranks must
/// give it the same numbers.
class SkinTuner {
 public:
  explicit SkinTuner(double first_nm) : best_nm_(first_nm), tried_nm_(first_nm) {}
  /// Of a rank with so many residues: lists get room for this skin, and no longer one is tried.
  /// Where residues are few, lists are small, and kernels cost less than what they wait for, so
  /// that long skins may pay.
  [[nodiscard]] static constexpr double longest_nm(double first_nm, std::int64_t residues_of_rank) {
    constexpr std::int64_t few = 20'000, some = 100'000;
    const int factors = residues_of_rank <= few ? 6 : residues_of_rank <= some ? 4 : 2;
    for (int k = 0; k < factors; ++k) first_nm *= factor;
    return first_nm;
  }

  /// After one list's life: its steps and its seconds, with those of making it. The skin that the
  /// next list should have.
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
      measures_best_ = true;
      rounds_ = 0;
    }
    return judge(cost);
  }

  /// No longer skin than this is tried from now on, unless it is the best already.
  void bound(double longest_nm) { longest_nm_ = std::min(longest_nm_, longest_nm); }
  /// The same, and the best gives way too: lists of the skin that is tried found no room. The skin
  /// that the next list should have; trials begin anew beside it.
  double give_way(double longest_nm) {
    bound(longest_nm);
    best_nm_ = std::min(best_nm_, longest_nm_);
    tried_nm_ = best_nm_;
    measures_best_ = true;
    rounds_ = rest_ = lists_ = 0;
    rest_next_ = least_rest;
    steps_ = 0;
    seconds_ = 0;
    return tried_nm_;
  }
  /// Whether it rests.
  [[nodiscard]] bool is_settled() const { return rest_ > 0; }

 private:
  static constexpr double factor = 1.25, shortest_nm = 0.05, gain = 0.99;
  static constexpr int lists_a_trial = 2, least_rest = 200, most_rest = 1600;
  static constexpr int rounds_at_most = 3;  // of tries beside one best, before a rest
  static constexpr std::int64_t steps_a_trial = 50;
  static constexpr std::array<int, 4> offsets{1, -1, 2, -2};  // in the direction that did well last

  double judge(double cost) {
    if (measures_best_) {
      measures_best_ = false;
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
    measures_best_ = true;
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
  double best_cost_ = 0;       // [s per step]
  bool measures_best_ = true;  // now
  int direction_ = 1, rounds_ = 0, rest_ = 0, rest_next_ = least_rest, lists_ = 0;
  std::size_t attempt_ = 0;
  std::int64_t steps_ = 0;
  double seconds_ = 0;
};

}  // namespace nfold::dynamics
