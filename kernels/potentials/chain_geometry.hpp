// Vectors along a chain and planes of two of them, shared by its terms.
// SPDX-License-Identifier: BSD-3-Clause
//
// A loop along a chain computes each of them once and has the same bits as one that recomputes them
// for each term.
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// Vector from one residue to the next.
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

/// Plane of two consecutive bond vectors: their cross product, its length and their inner product.
/// Infinite or NaN for collinear vectors.
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

/// Returns the angle [rad] at the residue between two bond vectors, d: (2, 3).
template <class Real>
NFOLD_FUNCTION Real angle_between(const Real* d) {
  Real c[3];
  cross_product(d, d + 3, c);
  return vector_angle(-inner_product(d, d + 3), Kokkos::sqrt(squared_length(c)));
}

/// Angle of three residues, and 1 / (|a x b|) of their bond vectors, which is finite for collinear
/// ones too: they count as straight within `straight` of 0 or 180 degrees. There the direction of a
/// force is rounding alone; it then goes to 0 instead of infinity.
template <class Real>
struct Bend {
  static constexpr Real straight =
      sizeof(Real) == sizeof(float) ? Real(1e-6) : Real(1e-12);  // [rad]
  Real theta, inverse_across;

  NFOLD_FUNCTION Bend(const BondVector<Real>& a, const BondVector<Real>& b,
                      const BondPlane<Real>& plane) {
    const Real least = straight * (a.length * b.length);
    const bool is_bent = plane.across > least;  // false for a NaN, as a GPU makes of 0
    theta = vector_angle(-plane.along, is_bent ? plane.across : Real(0));
    inverse_across = is_bent ? plane.inverse_across : reciprocal(least);
  }
};

/// Computes the forces on the outer two of three residues, f: (3, 3). slope: derivative of the
/// energy by their angle, divided by plane.across.
template <class Real>
NFOLD_FUNCTION void bend_forces(const BondVector<Real>& a, const BondVector<Real>& b,
                                const BondPlane<Real>& plane, Real slope, Real* f) {
  // With u = r_0 - r_1 = -a, v = r_2 - r_1 = b: F_0 = -slope (u (u.v)/u^2 - v), and F_2 with u and
  // v swapped.
  const Real ca = plane.along * a.inverse_square();
  const Real cb = plane.along * b.inverse_square();
  for (int axis = 0; axis < 3; ++axis) {
    f[axis] = slope * fused(-ca, a.d[axis], b.d[axis]);
    f[6 + axis] = slope * fused(cb, b.d[axis], -a.d[axis]);
  }
}

/// Computes the forces on all but the third of four residues, f: (4, 3). b: vector between the
/// inner two; ab, bc: planes on both sides; slope: derivative of the energy by the dihedral.
/// Returns a bound of the largest force.
template <class Real>
NFOLD_FUNCTION Real dihedral_forces(const BondVector<Real>& b, const BondPlane<Real>& ab,
                                    const BondPlane<Real>& bc, Real slope, Real* f) {
  const Real turning = slope * b.length;
  const Real first = turning * ab.inverse_square();
  const Real last = -turning * bc.inverse_square();
  const Real s = ab.along * b.inverse_square();
  const Real t = bc.along * b.inverse_square();
  for (int axis = 0; axis < 3; ++axis) {
    const Real f0 = first * ab.normal[axis];
    const Real f3 = last * bc.normal[axis];
    f[axis] = f0;
    f[9 + axis] = f3;
    f[3 + axis] = fused(t, f3, -fused(s, f0, f0));
  }
  // The outer forces have length |turning| over their distance from the axis; the third is a sum of
  // them.
  const Real nearest =
      ab.inverse_across > bc.inverse_across ? ab.inverse_across : bc.inverse_across;
  return Kokkos::abs(turning) * (nearest * (Real(1) + (Kokkos::abs(s) + Kokkos::abs(t))));
}

}  // namespace nfold::kernels
