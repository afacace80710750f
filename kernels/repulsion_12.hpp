// Excluded volume between residues that share no term.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/portable.hpp"

namespace nfold::kernels {

/// U = epsilon (sigma/r)^12 for r < cutoff, truncated without shift. A pair term: its loop
/// (kernels/pair_loop.hpp) asks for energy and F/r of a squared distance within the cutoff.
template <class Real>
struct Repulsion12 {
  Real epsilon;         // [kJ/mol]
  Real sigma_squared;   // [nm^2]
  Real cutoff_squared;  // [nm^2]

  [[nodiscard]] NFOLD_FUNCTION Real energy(Real r2) const {
    const Real q = sigma_squared / r2;
    const Real q3 = q * q * q;
    return epsilon * q3 * q3;
  }
  /// -(1/r) dU/dr [kJ/mol/nm^2]: F_i = this times (x_i - x_j).
  [[nodiscard]] NFOLD_FUNCTION Real force_over_distance(Real r2) const {
    const Real inverse = Real(1) / r2;
    const Real q = sigma_squared * inverse;
    const Real q3 = q * q * q;
    return Real(12) * epsilon * q3 * q3 * inverse;
  }
};

}  // namespace nfold::kernels
