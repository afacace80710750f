// Positions of many replicas, for kernels that count over all of them.
// SPDX-License-Identifier: BSD-3-Clause
//
// Work items of the counting kernels have an owner, whose counts they add to, and share its
// replicas. On a CPU, whose threads have no atomic additions here, an owner has one item, which
// takes all replicas. On a GPU it has many. Counts are integers, so their order does not change the
// bits of the sum.
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// One replica of a group stored side by side.
struct ReplicaRow {
  const std::int64_t* first;  // [2^-44 turns]
  int width;
  Scale<double> scale;  // [nm] per coarse count, 2^-32 turns

  [[nodiscard]] NFOLD_FUNCTION std::int64_t at(int residue, int axis) const {
    return first[(static_cast<std::int64_t>(residue) * 3 + axis) * width];
  }
  /// Returns the vector from residue j to residue i along an axis [nm], nearest image, between
  /// rounded coordinates, as for forces of mixed precision.
  [[nodiscard]] NFOLD_FUNCTION double difference(int i, int j, int axis) const {
    const double nm = axis == 0 ? scale.x : (axis == 1 ? scale.y : scale.z);
    return Mixed::to_nm(
        Mixed::difference(Mixed::coordinate(at(i, axis)), Mixed::coordinate(at(j, axis))), nm);
  }
  NFOLD_FUNCTION void difference(int i, int j, double* d) const {
    for (int axis = 0; axis < 3; ++axis) d[axis] = difference(i, j, axis);
  }
};

/// Positions (groups, residues, 3, width): `width` replicas side by side, as in resident kernels.
struct ReplicaPositions {
  int replicas, residues, width;
  const std::int64_t* position;  // [2^-44 turns]
  Scale<double> scale;           // [nm] per coarse count

  [[nodiscard]] NFOLD_FUNCTION ReplicaRow row(int replica) const {
    const std::int64_t group = static_cast<std::int64_t>(replica / width) * residues * 3 * width;
    return {position + group + replica % width, width, scale};
  }
};

/// Adds to a count that concurrent items may add to.
NFOLD_FUNCTION void add_count(std::int64_t* count, std::int64_t n) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(count), static_cast<unsigned long long>(n));
#else
  *count += n;
#endif
}

/// Returns the bin of a value counted in bins from the lower end; values beyond an end go to the
/// last bin there, NaN to the first.
NFOLD_FUNCTION int bin_of(double value_in_bins, int bins) {
  const double inside = value_in_bins >= 0.0 ? value_in_bins : 0.0;
  return inside < bins ? static_cast<int>(inside) : bins - 1;
}

}  // namespace nfold::kernels
