// Harmonic angle potential of three residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/potentials/chain_geometry.hpp"

namespace nfold::kernels {

/// U = (k/2)(theta - theta0)^2; the interface of a term is in kernels/potentials/bond.hpp. Three
/// collinear residues have no force, which is right for theta0 of 180 degrees (chain_geometry.hpp).
struct Angle {
  static constexpr int ends = 3, parameters = 2, closing = 1;
  static constexpr bool is_central = false, has_strength = false;
  enum Parameter { theta0, k };  // [rad], [kJ/mol/rad^2]

  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    const Real bend = angle_between(d) - p[theta0];
    return Real(0.5) * p[k] * bend * bend;
  }
  template <class Real>
  static NFOLD_FUNCTION Real forces(const BondVector<Real>& a, const BondVector<Real>& b,
                                    const BondPlane<Real>& plane, const Real* p, Real* f) {
    const Bend<Real> bend(a, b, plane);
    const Real slope = p[k] * (bend.theta - p[theta0]) * bend.inverse_across;
    bend_forces(a, b, plane, slope, f);
    return Kokkos::abs(slope) * (a.length + b.length);
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    const BondVector<Real> a(d), b(d + 3);
    forces(a, b, BondPlane<Real>(a, b), p, f);
  }
};

}  // namespace nfold::kernels
