// Plain pointers that kernels take: who may write what, and in which shape.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Three columns, one a Cartesian component.
template <class T>
struct Columns {
  T *x, *y, *z;
};

/// Length of one unit of difference of two coordinates, by axis [nm].
template <class T>
struct Scale {
  T x, y, z;
};

/// Lists of rows, interleaved by groups of row_group rows: entry k of row r stands at
/// (first[r / row_group] + k) * row_group + r % row_group, its valid entries are count[r].
struct RowLists {
  const std::int64_t* first;  // (groups + 1) [entries a row]
  const int* count;           // (groups * row_group); 0 for rows that only pad a group
  const int* entry;           // what is beyond count is a valid row or slot of no effect
};

/// Rows or slots that bonds tie to one along its chain; -1: none.
struct ChainNeighbours {
  int before, after;
};

/// Sticky marks that kernels set and the engine reads at the end of a block.
struct Marks {
  int* moved;     // a residue left half the skin since the lists were made
  int* exploded;  // a force left its range
};

}  // namespace nfold::kernels
