// The phase-locking matrix of a state, from sums of products of its phases.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nfold::thermodynamics {

/// Means over samples of z = exp(i theta), theta the pseudo-dihedral about a residue and the next;
/// a sample in which three residues are nearly in a line has z = 0 there. (pairs): i <= j, row by
/// row.
struct PhaseMatrix {
  std::int64_t samples = 0;
  std::vector<double> cosine, sine;              ///< (pairs) of C_ij = <z_i conj(z_j)>
  std::vector<double> sum_cosine, sum_sine;      ///< (pairs) of D_ij = <z_i z_j>
  std::vector<double> order_cosine, order_sine;  ///< (phases) of R_i = <z_i>
};

/// sums: (4, pairs) of phases and a last one that is 1 always, as
/// kernels/resident/phase_locking.hpp makes them. Without samples all is not a number.
[[nodiscard]] PhaseMatrix phase_matrix(std::span<const std::int64_t> sums, std::int64_t phases);

}  // namespace nfold::thermodynamics
