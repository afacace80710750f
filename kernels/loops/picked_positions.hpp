// Copying of selected rows' positions into one array.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// Copies positions. Work item: one selected row.
struct PickPositions {
  const int* row;  // (selected rows)
  Columns<const std::int64_t> position;
  Columns<std::int64_t> picked;
  NFOLD_FUNCTION void operator()(int item) const {
    const int i = row[item];
    picked.x[item] = position.x[i];
    picked.y[item] = position.y[i];
    picked.z[item] = position.z[i];
  }
};

}  // namespace nfold::kernels
