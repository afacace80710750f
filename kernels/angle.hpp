// Harmonic angle of three residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/mathematics.hpp"
#include "kernels/portable.hpp"

namespace nfold::kernels {

/// U = (k/2)(theta - theta0)^2; see kernels/bond.hpp for the parts of a term. Its force is
/// undefined for three residues in a line, and is then out of range (reported as an explosion).
struct Angle {
  static constexpr int ends = 3, parameters = 2, closing = 1;
  enum Parameter { theta0, k };  // [rad], [kJ/mol/rad^2]

  /// Cosine and sine of theta times both lengths.
  template <class Real>
  static NFOLD_FUNCTION void parts(const Real* d, Real& dot, Real& cross) {
    const Real cx = d[1] * d[5] - d[2] * d[4];
    const Real cy = d[2] * d[3] - d[0] * d[5];
    const Real cz = d[0] * d[4] - d[1] * d[3];
    dot = -(d[0] * d[3] + d[1] * d[4] + d[2] * d[5]);
    cross = Kokkos::sqrt(cx * cx + cy * cy + cz * cz);
  }
  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    Real dot, cross;
    parts(d, dot, cross);
    const Real bend = angle_of(dot, cross) - p[theta0];
    return Real(0.5) * p[k] * bend * bend;
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    Real dot, cross;
    parts(d, dot, cross);
    const Real slope = p[k] * (angle_of(dot, cross) - p[theta0]) / cross;
    // a = r_0 - r_1 = -d_0, b = r_2 - r_1 = d_1; F_0 = -slope (a (a.b)/a^2 - b), F_2 alike.
    const Real a2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const Real b2 = d[3] * d[3] + d[4] * d[4] + d[5] * d[5];
    const Real ca = dot / a2;
    const Real cb = dot / b2;
    f[0] = slope * (d[3] + ca * d[0]);
    f[1] = slope * (d[4] + ca * d[1]);
    f[2] = slope * (d[5] + ca * d[2]);
    f[6] = -slope * (d[0] + cb * d[3]);
    f[7] = -slope * (d[1] + cb * d[4]);
    f[8] = -slope * (d[2] + cb * d[5]);
  }
};

}  // namespace nfold::kernels
