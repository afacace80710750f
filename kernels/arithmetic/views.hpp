// Non-owning pointer structs that kernels take.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Three columns, one per Cartesian component.
template <class T>
struct Columns {
  T *x, *y, *z;
};

/// Length of one coordinate unit along each axis [nm].
template <class T>
struct Scale {
  T x, y, z;
};

/// Lists of the rows, interleaved by groups of row_group rows. Entry k of row r is at (first[r /
/// row_group] + k) * row_group + r % row_group; its valid entries are the first count[r].
struct RowLists {
  const std::int64_t* first;  // (groups + 1) [entries per row]
  const int* count;           // (groups * row_group); 0 for padding rows
  const int* entry;           // entries beyond count are valid rows or slots without effect
};

/// Rows or slots bonded to one along its chain; -1: none.
struct ChainNeighbours {
  int before, after;
};

/// Sticky flags that kernels set and the engine reads at the end of a block.
struct Marks {
  int* moved;     // a residue moved more than half the skin since the last rebuild
  int* exploded;  // a force was out of range
};

}  // namespace nfold::kernels
