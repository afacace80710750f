// Quantities of replicas that are recorded at each sample.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/resident/replica_positions.hpp"

namespace nfold::kernels {

/// Chains of the system that each replica is.
struct ReplicaChains {
  const double* mass;           // (residues) [amu]
  const std::int32_t* first;    // (chains + 1) first residue of each
  const std::int32_t* species;  // (chains)
  int count;
};

/// Computes a quantity of all replicas; quantity(row, chains, k) is its column k of one. The order
/// of additions is fixed, so the bits are the same everywhere. Work item: one column of one
/// replica.
template <class Quantity>
struct ComputeQuantity {
  ReplicaPositions replicas;
  ReplicaChains chains;
  int own_columns, first_column, columns;
  double* value;  // (replicas, columns)

  NFOLD_FUNCTION void operator()(int item) const {
    const std::int64_t replica = item / own_columns;
    const int column = item % own_columns;
    value[replica * columns + first_column + column] =
        Quantity()(replicas.row(item / own_columns), chains, column);
  }
};

/// Mean radius of gyration over the chains of a species, weighted by mass as in a single run.
struct MeanRadiusOfGyration {
  NFOLD_FUNCTION double operator()(const ReplicaRow& row, const ReplicaChains& chains,
                                   int species) const {
    double sum = 0;
    int count = 0;
    for (int chain = 0; chain < chains.count; ++chain) {
      if (chains.species[chain] != species) continue;
      sum += of_chain(row, chains, chain);
      ++count;
    }
    return sum / count;
  }

 private:
  /// Computed relative to the chain's first residue, so that a chain far from the origin loses no
  /// digits.
  [[nodiscard]] NFOLD_FUNCTION static double of_chain(const ReplicaRow& row,
                                                      const ReplicaChains& chains, int chain) {
    constexpr double coarse = 0x1p-12;
    const double scale[3] = {row.scale.x * coarse, row.scale.y * coarse, row.scale.z * coarse};
    const int first = chains.first[chain];
    double all = 0, squares = 0;
    double centre[3] = {0, 0, 0};
    for (int i = first; i < chains.first[chain + 1]; ++i) {
      const double m = chains.mass[i];
      double d[3];
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = to_double(row.at(i, axis) - row.at(first, axis)) * scale[axis];
        centre[axis] += m * d[axis];
      }
      all += m;
      squares += m * squared_length(d);
    }
    for (int axis = 0; axis < 3; ++axis) centre[axis] /= all;
    const double mean_square = squares / all - squared_length(centre);
    return Kokkos::sqrt(mean_square > 0 ? mean_square : 0.0);
  }
};

}  // namespace nfold::kernels
