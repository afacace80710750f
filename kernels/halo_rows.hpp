// Packing of border rows for other ranks and unpacking of ghosts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/pair_rows.hpp"
#include "kernels/portable.hpp"
#include "kernels/views.hpp"

namespace nfold::kernels {

/// buffer: (rows to send, 3) coordinates. Work item: one row of the buffer.
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

template <class Precision>
struct UnpackRows {
  const int* row;  // (rows received)
  const typename Precision::Coordinate* buffer;
  Columns<typename Precision::Coordinate> x;
  PairRow<Precision>* pair_row;
  NFOLD_FUNCTION void operator()(int item) const {
    const std::int64_t at = std::int64_t{3} * item;
    const int i = row[item];
    x.x[i] = buffer[at];
    x.y[i] = buffer[at + 1];
    x.z[i] = buffer[at + 2];
    pair_row[i].x = buffer[at];
    pair_row[i].y = buffer[at + 1];
    pair_row[i].z = buffer[at + 2];
  }
};

}  // namespace nfold::kernels
