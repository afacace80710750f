// Dihedral of four residues, one- and threefold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/portable.hpp"

namespace nfold::kernels {

/// U = k1 [1 - cos(phi - phi0)] + k3 [1 - cos 3(phi - phi0)], IUPAC sign of phi (trans = 180 deg).
/// Clementi, Nymeyer, Onuchic, J. Mol. Biol. 298, 937 (2000). Sine and cosine of phi come from the
/// vectors, so no angle is ever computed. See kernels/bond.hpp for the parts of a term.
struct Dihedral {
  static constexpr int ends = 4, parameters = 4, closing = 2;
  enum Parameter { cosine0, sine0, k1, k3 };  // of phi0; [kJ/mol]

  template <class Real>
  struct Geometry {
    Real n1[3], n2[3];      // b1 x b2, b2 x b3
    Real b2, cosine, sine;  // |b2|; of phi - phi0
  };
  template <class Real>
  static NFOLD_FUNCTION void geometry(const Real* d, const Real* p, Geometry<Real>& g) {
    g.n1[0] = d[1] * d[5] - d[2] * d[4];
    g.n1[1] = d[2] * d[3] - d[0] * d[5];
    g.n1[2] = d[0] * d[4] - d[1] * d[3];
    g.n2[0] = d[4] * d[8] - d[5] * d[7];
    g.n2[1] = d[5] * d[6] - d[3] * d[8];
    g.n2[2] = d[3] * d[7] - d[4] * d[6];
    g.b2 = Kokkos::sqrt(d[3] * d[3] + d[4] * d[4] + d[5] * d[5]);
    const Real x = g.n1[0] * g.n2[0] + g.n1[1] * g.n2[1] + g.n1[2] * g.n2[2];
    const Real y = g.b2 * (d[0] * g.n2[0] + d[1] * g.n2[1] + d[2] * g.n2[2]);
    const Real scale = Real(1) / Kokkos::sqrt(x * x + y * y);
    const Real c = x * scale;
    const Real s = y * scale;
    g.cosine = c * p[cosine0] + s * p[sine0];
    g.sine = s * p[cosine0] - c * p[sine0];
  }
  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    Geometry<Real> g;
    geometry(d, p, g);
    const Real cosine3 = g.cosine * (Real(4) * g.cosine * g.cosine - Real(3));
    return p[k1] * (Real(1) - g.cosine) + p[k3] * (Real(1) - cosine3);
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    Geometry<Real> g;
    geometry(d, p, g);
    const Real sine3 = g.sine * (Real(3) - Real(4) * g.sine * g.sine);
    const Real slope = (p[k1] * g.sine + Real(3) * p[k3] * sine3) * g.b2;
    const Real first = slope / (g.n1[0] * g.n1[0] + g.n1[1] * g.n1[1] + g.n1[2] * g.n1[2]);
    const Real last = -slope / (g.n2[0] * g.n2[0] + g.n2[1] * g.n2[1] + g.n2[2] * g.n2[2]);
    const Real inverse = Real(1) / (g.b2 * g.b2);
    const Real s = (d[0] * d[3] + d[1] * d[4] + d[2] * d[5]) * inverse;
    const Real t = (d[6] * d[3] + d[7] * d[4] + d[8] * d[5]) * inverse;
    f[0] = first * g.n1[0];
    f[1] = first * g.n1[1];
    f[2] = first * g.n1[2];
    f[9] = last * g.n2[0];
    f[10] = last * g.n2[1];
    f[11] = last * g.n2[2];
    f[3] = t * f[9] - (s + Real(1)) * f[0];
    f[4] = t * f[10] - (s + Real(1)) * f[1];
    f[5] = t * f[11] - (s + Real(1)) * f[2];
  }
};

}  // namespace nfold::kernels
