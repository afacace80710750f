// Migration of rows: packing for other ranks and placement in the new order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// Exact state of one residue.
struct MovedRow {
  std::int64_t position[3];
  double velocity[3];
};

/// Packs rows that migrate. Work item: one migrating row.
struct PackMovedRows {
  const int* row;  // (migrating rows)
  Columns<const std::int64_t> position;
  Columns<const double> velocity;
  MovedRow* buffer;
  NFOLD_FUNCTION void operator()(int item) const {
    const int i = row[item];
    buffer[item] = {{position.x[i], position.y[i], position.z[i]},
                    {velocity.x[i], velocity.y[i], velocity.z[i]}};
  }
};

/// Fills the new rows; padding rows are zero. Work item: one new row.
struct PlaceMovedRows {
  const int* source;  // (owned) old row; if negative, -1 - index into `came`
  int owned;
  const MovedRow* came;
  Columns<const std::int64_t> old_position;
  Columns<const double> old_velocity;
  Columns<std::int64_t> position;
  Columns<double> velocity;
  NFOLD_FUNCTION void operator()(int row) const {
    MovedRow one{};
    if (row < owned) {
      const int from = source[row];
      if (from < 0) {
        one = came[-1 - from];
      } else {
        one = {{old_position.x[from], old_position.y[from], old_position.z[from]},
               {old_velocity.x[from], old_velocity.y[from], old_velocity.z[from]}};
      }
    }
    position.x[row] = one.position[0];
    position.y[row] = one.position[1];
    position.z[row] = one.position[2];
    velocity.x[row] = one.velocity[0];
    velocity.y[row] = one.velocity[1];
    velocity.z[row] = one.velocity[2];
  }
};

}  // namespace nfold::kernels
