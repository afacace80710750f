// Packing of rows for other ranks and unpacking of ghosts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// Packs coordinates into a buffer (rows to send, 3). Work item: one row of the buffer.
template <class Coordinate>
struct PackRows {
  const int* row;  // (rows to send)
  Columns<const Coordinate> x;
  Coordinate* buffer;
  NFOLD_FUNCTION void operator()(int item) const {
    const std::int64_t at = std::int64_t{3} * item;
    buffer[at] = x.x[row[item]];
    buffer[at + 1] = x.y[row[item]];
    buffer[at + 2] = x.z[row[item]];
  }
};

/// Copies coordinates. Work item: one row.
template <class Coordinate>
struct CopyRows {
  Columns<const Coordinate> from;
  Columns<Coordinate> to;
  NFOLD_FUNCTION void operator()(int row) const {
    to.x[row] = from.x[row];
    to.y[row] = from.y[row];
    to.z[row] = from.z[row];
  }
};

/// Copies row numbers. Work item: one row number.
struct CopyRowNumbers {
  const int* from;
  int* to;
  NFOLD_FUNCTION void operator()(int item) const { to[item] = from[item]; }
};

/// Marks all rows as having no copies on peers. Work item: one owned row.
struct ClearCopies {
  int* first_copy;
  NFOLD_FUNCTION void operator()(int row) const { first_copy[row] = -1; }
};
/// Marks the rows to send as having copies; first_copy is a flag only. Work item: one row to send.
struct MarkCopied {
  const int* send_row;
  int* first_copy;
  NFOLD_FUNCTION void operator()(int item) const { first_copy[send_row[item]] = 0; }
};

template <class Precision>
struct UnpackRows {
  const int* row;  // (rows received)
  const typename Precision::Coordinate* buffer;
  Columns<typename Precision::Coordinate> x;
  PairRecords<Precision> records;
  NFOLD_FUNCTION void operator()(int item) const {
    const std::int64_t at = std::int64_t{3} * item;
    const int i = row[item];
    x.x[i] = buffer[at];
    x.y[i] = buffer[at + 1];
    x.z[i] = buffer[at + 2];
    records.put(i, buffer[at], buffer[at + 1], buffer[at + 2]);
  }
};

}  // namespace nfold::kernels
