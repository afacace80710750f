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

}  // namespace nfold::kernels
