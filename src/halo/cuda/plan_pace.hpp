// How far residues will have gone since the halo was planned.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

namespace nfold::halo {

/// Of one plan's blocks of steps: the farthest residue's distance when each made its lists. Steers
/// only when plans are made anew.
class PlanPace {
 public:
  /// The next block of the plan: a residue was so far from where it was planned.
  void learn(double move_nm) {
    ++blocks_;
    a_block_nm_ = std::max(move_nm - move_nm_, move_nm / blocks_);
    move_nm_ = move_nm;
  }
  /// So many blocks after that.
  [[nodiscard]] double move_after(int blocks) const { return move_nm_ + blocks * a_block_nm_; }

 private:
  int blocks_ = 0;
  double move_nm_ = 0, a_block_nm_ = 0;
};

}  // namespace nfold::halo
