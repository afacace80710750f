// Where the residues of many replicas are, for what is counted over all of them.
// SPDX-License-Identifier: BSD-3-Clause
//
// Work items of the counting kernels have an owner, whose counts they add to, and share its
// replicas. Where items run beside each other without atomic additions (a CPU's threads) an owner
// has one item, which takes all replicas; on a GPU it has many, and counts are integers, so their
// order is in no bit of the sum.
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// One replica among those that stand side by side with it.
struct ReplicaRow {
  const std::int64_t* first;  // [2^-44 turns]
  int width;
  Scale<double> scale;  // [nm] of one coarse count, 2^-32 turns

  [[nodiscard]] NFOLD_FUNCTION std::int64_t at(int residue, int axis) const {
    return first[(static_cast<std::int64_t>(residue) * 3 + axis) * width];
  }
  /// From residue j to residue i along an axis [nm], nearest image, between rounded coordinates:
  /// what forces of mixed precision see.
  [[nodiscard]] NFOLD_FUNCTION double difference(int i, int j, int axis) const {
    const double nm = axis == 0 ? scale.x : (axis == 1 ? scale.y : scale.z);
    return Mixed::to_nm(
        Mixed::difference(Mixed::coordinate(at(i, axis)), Mixed::coordinate(at(j, axis))), nm);
  }
  NFOLD_FUNCTION void difference(int i, int j, double* d) const {
    for (int axis = 0; axis < 3; ++axis) d[axis] = difference(i, j, axis);
  }
};

/// (groups, residues, 3, width): width replicas side by side, as resident kernels hold them.
struct ReplicaPositions {
  int replicas, residues, width;
  const std::int64_t* position;  // [2^-44 turns]
  Scale<double> scale;           // [nm] of one coarse count

  [[nodiscard]] NFOLD_FUNCTION ReplicaRow row(int replica) const {
    const std::int64_t group = static_cast<std::int64_t>(replica / width) * residues * 3 * width;
    return {position + group + replica % width, width, scale};
  }
};

/// Adds to a count that items beside this one may add to.
NFOLD_FUNCTION void add_count(std::int64_t* count, std::int64_t n) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(count), static_cast<unsigned long long>(n));
#else
  *count += n;
#endif
}

/// Which of `bins` equal parts a value is in, counted in parts from the lower end; what is beyond
/// an end, or no number, is in the part there.
NFOLD_FUNCTION int bin_of(double value_in_bins, int bins) {
  const double inside = value_in_bins >= 0.0 ? value_in_bins : 0.0;
  return inside < bins ? static_cast<int>(inside) : bins - 1;
}

}  // namespace nfold::kernels
