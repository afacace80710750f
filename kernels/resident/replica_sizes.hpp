// Radius of gyration of the chains of replicas.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/resident/replica_positions.hpp"

namespace nfold::kernels {

/// Mean radius of gyration over the chains of a species, weighted by mass as in a single run. The
/// order of additions is fixed, so the bits are the same everywhere. Work item: one species of one
/// replica.
struct MeanRadiusOfGyration {
  ReplicaPositions replicas;
  const double* mass;                    // (residues) [amu]
  const std::int32_t* chain_first;       // (chains + 1)
  const std::int32_t* species_of_chain;  // (chains)
  int chains, species;
  double* radius_nm;  // (replicas, species)

  NFOLD_FUNCTION void operator()(int item) const {
    const auto row = replicas.row(item / species);
    double sum = 0;
    int count = 0;
    for (int chain = 0; chain < chains; ++chain) {
      if (species_of_chain[chain] != item % species) continue;
      sum += of_chain(row, chain);
      ++count;
    }
    radius_nm[item] = sum / count;
  }

 private:
  /// Computed relative to the chain's first residue, so that a chain far from the origin loses no
  /// digits.
  [[nodiscard]] NFOLD_FUNCTION double of_chain(const ReplicaRow& row, int chain) const {
    constexpr double coarse = 0x1p-12;
    const double scale[3] = {row.scale.x * coarse, row.scale.y * coarse, row.scale.z * coarse};
    const int first = chain_first[chain];
    double all = 0, squares = 0;
    double centre[3] = {0, 0, 0};
    for (int i = first; i < chain_first[chain + 1]; ++i) {
      const double m = mass[i];
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
