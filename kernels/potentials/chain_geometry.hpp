// What the terms of a chain have in common: vectors along it, and the planes of two of them.
// SPDX-License-Identifier: BSD-3-Clause
//
// A loop that walks along a chain makes each of them once, and has the same bits as one that makes
// them anew for each term.
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// From one residue to the next.
template <class Real>
struct BondVector {
  Real d[3];  // [nm]
  Real length, inverse_length;

  BondVector() = default;
  NFOLD_FUNCTION explicit BondVector(const Real* difference)
      : d{difference[0], difference[1], difference[2]},
        length(square_root(squared_length(difference))),
        inverse_length(reciprocal(length)) {}
  [[nodiscard]] NFOLD_FUNCTION Real inverse_square() const {
    return inverse_length * inverse_length;
  }
};

/// Of two bond vectors that follow each other: their cross product, its length and their inner
/// product. What is in a line has no plane: numbers are then infinite or none.
template <class Real>
struct BondPlane {
  Real normal[3];
  Real along, across, inverse_across;

  BondPlane() = default;
  NFOLD_FUNCTION BondPlane(const BondVector<Real>& a, const BondVector<Real>& b) {
    cross_product(a.d, b.d, normal);
    along = inner_product(a.d, b.d);
    across = square_root(squared_length(normal));
    inverse_across = reciprocal(across);
  }
  [[nodiscard]] NFOLD_FUNCTION Real inverse_square() const {
    return inverse_across * inverse_across;
  }
};

/// The angle [rad] at the residue between two bond vectors, d: (2, 3).
template <class Real>
NFOLD_FUNCTION Real bend_of(const Real* d) {
  Real c[3];
  cross_product(d, d + 3, c);
  return angle_of(-inner_product(d, d + 3), Kokkos::sqrt(squared_length(c)));
}

/// Forces on the outer two of three residues, f: (3, 3), from `slope`, the derivative of the energy
/// in their angle over the plane's `across`.
template <class Real>
NFOLD_FUNCTION void bend_forces(const BondVector<Real>& a, const BondVector<Real>& b,
                                const BondPlane<Real>& plane, Real slope, Real* f) {
  // With u = r_0 - r_1 = -a, v = r_2 - r_1 = b: F_0 = -slope (u (u.v)/u^2 - v), F_2 alike.
  const Real ca = plane.along * a.inverse_square();
  const Real cb = plane.along * b.inverse_square();
  for (int axis = 0; axis < 3; ++axis) {
    f[axis] = slope * fused(-ca, a.d[axis], b.d[axis]);
    f[6 + axis] = slope * fused(cb, b.d[axis], -a.d[axis]);
  }
}

}  // namespace nfold::kernels
