// Pairs excluded from pair potentials because they share a term.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Exclusions of the owned rows.
struct Exclusions {
  /// Range of ids of a row and its exclusions; few other ids lie in it.
  struct Span {
    int least, most;
    bool is_full;  // every id in the range is excluded from all potentials
  };

  const int* first;          // (owned + 1)
  const int* other;          // global ids; their complement for pairs that keep their charges
  const int* id;             // (rows) global ids
  const Span* span;          // (owned)
  bool for_charges = false;  // pairs that keep their charges are not excluded

  [[nodiscard]] NFOLD_FUNCTION bool holds(int row, int partner_id) const {
    for (int k = first[row]; k < first[row + 1]; ++k) {
      if (other[k] == partner_id || (!for_charges && other[k] == ~partner_id)) return true;
    }
    return false;
  }
};

}  // namespace nfold::kernels
