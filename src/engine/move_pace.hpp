// Predicted list lifetime from observed residue moves.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace nfold::engine {

/// Mean and scatter of the largest residue move per step. Influences only the moment of rebuilds.
class MovePace {
 public:
  /// Records a block whose lists stayed valid for `steps` drifts with a largest move of `move_nm`.
  void learn(std::int64_t steps, double move_nm) {
    if (steps < 1) {
      longest_ = 2;  // too short to learn a pace
      return;
    }
    const double pace = move_nm / static_cast<double>(steps);
    if (mean_ == 0) {
      mean_ = pace;
      scatter_ = 0.1 * pace;
      return;
    }
    scatter_ += weight * (std::abs(pace - mean_) - scatter_);
    mean_ += weight * (pace - mean_);
  }
  /// Records that a residue moved too far: widens the scatter.
  void widen_scatter() {
    scatter_ = std::max(1.5 * scatter_, 0.05 * mean_);
    if (mean_ == 0) longest_ = std::max<std::int64_t>(1, longest_ / 2);
  }
  /// Returns the number of steps for which lists of this skin should stay valid.
  [[nodiscard]] std::int64_t lifetime(double skin_nm) const {
    if (mean_ == 0) return std::min<std::int64_t>(longest_, 10);
    const double drifts = 0.5 * skin_nm / (mean_ + 5.5 * scatter_);
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(drifts) + 1, 1, 500);
  }

 private:
  static constexpr double weight = 0.1;
  double mean_ = 0, scatter_ = 0;  // [nm per step]
  std::int64_t longest_ = 10;      // before anything was learned
};

}  // namespace nfold::engine
