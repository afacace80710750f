// Rows whose residues go to other ranks, and rows in their new places.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// The exact state of one residue.
struct MovedRow {
  std::int64_t position[3];
  double velocity[3];
};

/// Work item: one row that leaves.
struct PackMovedRows {
  const int* row;  // (rows that leave)
  Columns<const std::int64_t> position;
  Columns<const double> velocity;
  MovedRow* buffer;
  NFOLD_FUNCTION void operator()(int item) const {
    const int i = row[item];
    buffer[item] = {{position.x[i], position.y[i], position.z[i]},
                    {velocity.x[i], velocity.y[i], velocity.z[i]}};
  }
};

/// Work item: one new row; those that only pad are zero.
struct PlaceMovedRows {
  const int* source;  // (owned) the old row; below 0: -1 - its place among those that came
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
