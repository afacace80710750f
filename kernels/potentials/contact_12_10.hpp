// Native 12-10 contact of two residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// U = epsilon [5 (s/r)^12 - 6 (s/r)^10], minimum -epsilon at r = s. Clementi, Nymeyer, Onuchic, J.
/// Mol. Biol. 298, 937 (2000). The interface is in kernels/potentials/bond.hpp.
struct Contact1210 {
  static constexpr int ends = 2, parameters = 2, closing = 1;
  static constexpr bool is_central = true, has_strength = true;
  enum Parameter { distance_squared, epsilon };  // s^2 [nm^2], [kJ/mol]

  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    const Real q = p[distance_squared] / (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const Real q2 = q * q;
    return p[epsilon] * (q2 * q2 * q) * (Real(5) * q - Real(6));
  }
  /// Returns force over distance. strength: -60 epsilon in the caller's force unit (a power of two
  /// [kJ/mol/nm]).
  template <class Real>
  static NFOLD_FUNCTION Real force_over_distance(const Real* d, Real squared, Real strength) {
    const Real inverse = reciprocal(squared_length(d));
    const Real q = squared * inverse;
    const Real q2 = q * q;
    return strength * (q2 * q2 * q) * (q - Real(1)) * inverse;
  }
  template <class Real>
  static NFOLD_FUNCTION Real force_over_distance(const Real* d, const Real* p) {
    return force_over_distance(d, p[distance_squared], Real(-60) * p[epsilon]);
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    const Real along = force_over_distance(d, p);
    for (int axis = 0; axis < 3; ++axis) f[axis] = along * d[axis];
  }
};

}  // namespace nfold::kernels
