// Phase-locking matrix of a state, from sums of products of its phases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nfold::thermodynamics {

/// Means over samples of z = exp(i theta), theta being the pseudo-dihedral about a residue and the
/// next; z = 0 in samples with three residues nearly collinear. (pairs): i <= j, row by row.
struct PhaseMatrix {
  std::int64_t samples = 0;
  std::vector<double> cosine, sine;              ///< (pairs) of C_ij = <z_i conj(z_j)>
  std::vector<double> sum_cosine, sum_sine;      ///< (pairs) of D_ij = <z_i z_j>
  std::vector<double> order_cosine, order_sine;  ///< (phases) of R_i = <z_i>
};

/// Computes the matrix. sums: (4, pairs) of phases and a last one that is always 1, from
/// kernels/resident/phase_locking.hpp. Without samples all means are NaN.
[[nodiscard]] PhaseMatrix phase_matrix(std::span<const std::int64_t> sums, std::int64_t phases);

}  // namespace nfold::thermodynamics
