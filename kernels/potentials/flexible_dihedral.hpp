// Dihedral potential of four residues: a Fourier series of three orders and a Gaussian well.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/potentials/chain_geometry.hpp"

namespace nfold::kernels {

/// U = c0 + sum over n = 1, 2, 3 of [c_n cos(n phi) + s_n sin(n phi)] - depth exp(-x^2/(2 w^2)), x
/// = phi - phi0 in (-pi, pi], IUPAC sign of phi. Local terms of AICG2+: Terakawa and Takada,
/// Biophys. J. 101, 1450 (2011); Li, Wang and Takada, PNAS 111, 10550 (2014). The interface is in
/// kernels/potentials/bond.hpp.
struct FlexibleDihedral {
  static constexpr int ends = 4, parameters = 11, closing = 2;
  static constexpr bool is_central = false, has_strength = false;
  /// Coefficients [kJ/mol]; cosine and sine of phi0; depth [kJ/mol]; 1/w^2 [1/rad^2].
  enum Parameter {
    constant,
    cosine1,
    sine1,
    cosine2,
    sine2,
    cosine3,
    sine3,
    well_cosine,
    well_sine,
    depth,
    inverse_width_squared
  };

  /// Returns the energy at a dihedral, given by its cosine c and sine s, and sets its derivative.
  template <class Real>
  static NFOLD_FUNCTION Real value(Real c, Real s, const Real* p, Real& slope) {
    const Real c2 = Real(2) * c * c - Real(1), s2 = Real(2) * s * c;
    const Real c3 = c * (Real(4) * c * c - Real(3)), s3 = s * (Real(3) - Real(4) * s * s);
    const Real cosine = fused(c, p[well_cosine], s * p[well_sine]);
    const Real sine = fused(s, p[well_cosine], -(c * p[well_sine]));
    const Real distance = vector_angle(cosine, sine < Real(0) ? -sine : sine);
    const Real x = sine < Real(0) ? -distance : distance;
    const Real well = p[depth] * exponential(Real(-0.5) * x * x * p[inverse_width_squared]);
    slope = (p[sine1] * c - p[cosine1] * s) + Real(2) * (p[sine2] * c2 - p[cosine2] * s2) +
            Real(3) * (p[sine3] * c3 - p[cosine3] * s3) + well * x * p[inverse_width_squared];
    return p[constant] + (p[cosine1] * c + p[sine1] * s) + (p[cosine2] * c2 + p[sine2] * s2) +
           (p[cosine3] * c3 + p[sine3] * s3) - well;
  }
  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    Real n1[3], n2[3], slope = 0;
    cross_product(d, d + 3, n1);
    cross_product(d + 3, d + 6, n2);
    const Real scale = Real(1) / Kokkos::sqrt(squared_length(n1) * squared_length(n2));
    return value(inner_product(n1, n2) * scale,
                 Kokkos::sqrt(squared_length(d + 3)) * inner_product(d, n2) * scale, p, slope);
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    const BondVector<Real> a(d), b(d + 3), c(d + 6);
    const BondPlane<Real> ab(a, b), bc(b, c);
    const Real scale = ab.inverse_across * bc.inverse_across;
    Real slope = 0;
    (void)value(inner_product(ab.normal, bc.normal) * scale,
                b.length * inner_product(a.d, bc.normal) * scale, p, slope);
    dihedral_forces(b, ab, bc, slope, f);
  }
};

}  // namespace nfold::kernels
