// The skin of the neighbour lists, chosen by measuring; never in the bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

namespace nfold::dynamics {

/// Walks uphill in speed: a skin is kept for some lists, its seconds per step are compared with
/// those of the best so far, and the next one is longer or shorter by a quarter. Once both
/// neighbours of the best were slower it rests there for a while, since a system changes. All ranks
/// must give it the same numbers.
class SkinTuner {
 public:
  explicit SkinTuner(double first_nm) : best_nm_(first_nm), tried_nm_(first_nm) {}

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
      --rest_;
      if (rest_ > 0) return tried_nm_;
      best_cost_ = cost;  // the system may have changed: compare with what it costs now
      failures_ = 0;
      return try_beside_best();
    }
    return judge(cost);
  }

 private:
  static constexpr double factor = 1.25, least_nm = 0.05, most_nm = 1.0, gain = 0.99;
  static constexpr int lists_a_trial = 3, trials_of_rest = 50;
  static constexpr std::int64_t steps_a_trial = 50;

  double judge(double cost) {
    if (best_cost_ == 0 || cost < gain * best_cost_) {
      failures_ = best_cost_ == 0 ? 0 : failures_;
      best_cost_ = cost;
      best_nm_ = tried_nm_;
    } else {
      longer_ = !longer_;
      ++failures_;
    }
    if (failures_ >= 2) {
      rest_ = trials_of_rest;
      tried_nm_ = best_nm_;
      return tried_nm_;
    }
    return try_beside_best();
  }
  double try_beside_best() {
    tried_nm_ = std::clamp(longer_ ? best_nm_ * factor : best_nm_ / factor, least_nm, most_nm);
    return tried_nm_;
  }

  double best_nm_, tried_nm_;
  double best_cost_ = 0;  // [s per step]; 0: not measured yet
  bool longer_ = true;
  int failures_ = 0, rest_ = 0, lists_ = 0;
  std::int64_t steps_ = 0;
  double seconds_ = 0;
};

}  // namespace nfold::dynamics
