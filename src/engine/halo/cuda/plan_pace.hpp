// Prediction of residue moves since the halo was planned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

namespace nfold::halo {

/// Largest residue move since the plan, at the list build of each block. Influences only the moment
/// of a new plan.
class PlanPace {
 public:
  /// Records the largest residue move at the next block of the plan.
  void learn(double move_nm) {
    ++blocks_;
    a_block_nm_ = std::max(move_nm - move_nm_, move_nm / blocks_);
    move_nm_ = move_nm;
  }
  /// Returns the predicted largest move `blocks` blocks later.
  [[nodiscard]] double move_after(int blocks) const { return move_nm_ + blocks * a_block_nm_; }

 private:
  int blocks_ = 0;
  double move_nm_ = 0, a_block_nm_ = 0;
};

}  // namespace nfold::halo
