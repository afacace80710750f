// Native 12-10 contact of two residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/portable.hpp"

namespace nfold::kernels {

/// U = epsilon [5 (s/r)^12 - 6 (s/r)^10], minimum -epsilon at r = s.
/// Clementi, Nymeyer, Onuchic, J. Mol. Biol. 298, 937 (2000). See kernels/bond.hpp for the parts.
struct Contact1210 {
  static constexpr int ends = 2, parameters = 2, closing = 1;
  enum Parameter { distance_squared, epsilon };  // s^2 [nm^2], [kJ/mol]

  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    const Real q = p[distance_squared] / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const Real q2 = q * q;
    return p[epsilon] * (q2 * q2 * q) * (Real(5) * q - Real(6));
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    const Real inverse = Real(1) / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const Real q = p[distance_squared] * inverse;
    const Real q2 = q * q;
    const Real push = Real(-60) * p[epsilon] * (q2 * q2 * q) * (q - Real(1)) * inverse;
    f[0] = push * d[0];
    f[1] = push * d[1];
    f[2] = push * d[2];
  }
};

}  // namespace nfold::kernels
