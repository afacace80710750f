// Kick and noise factors of a residue's velocity, by its mass.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

struct Kick {
  double half;   // h/(2 m) times the force quantum
  double noise;  // sqrt(1 - c1^2) sqrt(kT/m) [nm/ps]
};

#ifdef KOKKOS_ENABLE_CUDA
/// Factors by mass class, of which there are few: a fourth of the bytes.
struct RowKicks {
  const int* mass_class;  // (rows)
  const Kick* of_class;
  [[nodiscard]] NFOLD_FUNCTION Kick operator[](int row) const { return of_class[mass_class[row]]; }
};
#else
/// Factors by row, so that lanes load them together.
struct RowKicks {
  const double* half;   // (rows)
  const double* noise;  // (rows)
  [[nodiscard]] NFOLD_FUNCTION Kick operator[](int row) const { return {half[row], noise[row]}; }
};
#endif

}  // namespace nfold::kernels
