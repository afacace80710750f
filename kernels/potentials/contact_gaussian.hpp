// Native Gaussian contact of two residues with its own excluded volume.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// U = -A G + (a/r^12)(1 - G), G = exp[-(r - s)^2 / (2 w^2)]; minimum -A at r = s. Lammert, Schug,
/// Onuchic, Proteins 77, 881 (2009). The interface is in kernels/potentials/bond.hpp.
struct ContactGaussian {
  static constexpr int ends = 2, parameters = 4, closing = 1;
  static constexpr bool is_central = true, has_strength = true;
  // s [nm], A [kJ/mol], 1/w^2 [1/nm^2], a [kJ/mol nm^12]
  enum Parameter { distance, epsilon, inverse_width_squared, excluded_volume };

  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    const Real r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const Real x = Kokkos::sqrt(r2) - p[distance];
    const Real g = exponential(Real(-0.5) * x * x * p[inverse_width_squared]);
    const Real r6 = r2 * r2 * r2;
    return p[excluded_volume] / (r6 * r6) * (Real(1) - g) - p[epsilon] * g;
  }
  template <class Real>
  static NFOLD_FUNCTION Real force_over_distance(const Real* d, const Real* p) {
    const Real r2 = squared_length(d);
    const Real r = square_root(r2);
    const Real x = r - p[distance];
    const Real g = exponential(Real(-0.5) * x * x * p[inverse_width_squared]);
    const Real inverse = reciprocal(r2);
    const Real inverse3 = inverse * inverse * inverse;
    const Real core = p[excluded_volume] * inverse3 * inverse3;
    return (p[epsilon] + core) * g * x * p[inverse_width_squared] * reciprocal(r) -
           Real(12) * core * (Real(1) - g) * inverse;
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    const Real along = force_over_distance(d, p);
    for (int axis = 0; axis < 3; ++axis) f[axis] = along * d[axis];
  }
};

}  // namespace nfold::kernels
