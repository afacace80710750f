// Pairs that terms keep from acting through a potential.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Exclusions of the owned rows.
struct Exclusions {
  /// Ids from the least to the largest of a row's own and its exclusions: few others are between.
  struct Span {
    int least, most;
    bool is_full;  // every id between them is refused
  };

  const int* first;  // (owned + 1)
  const int* other;  // global ids
  const int* id;     // (rows) global ids
  const Span* span;  // (owned)

  [[nodiscard]] NFOLD_FUNCTION bool holds(int row, int partner_id) const {
    for (int k = first[row]; k < first[row + 1]; ++k) {
      if (other[k] == partner_id) return true;
    }
    return false;
  }
};

}  // namespace nfold::kernels
