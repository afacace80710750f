// Harmonic bond of two residues.
// SPDX-License-Identifier: BSD-3-Clause
//
// Interface of a term for its loop (kernels/loops/term_loop.hpp), here and in the sibling files:
//   ends, parameters   number of residues and of parameters; an end is one of the residues
//   closing            the end whose force is minus the sum of the others, in whole quanta
//   energy(d, p)       [kJ/mol]; d: (ends - 1, 3) [nm], r_1 - r_0, r_2 - r_1, ..
//   forces(d, p, f)    f: (ends, 3) [kJ/mol/nm], all but the closing end's
//   forces(a, p, f)    the same from BondVectors and BondPlanes that terms share; returns an upper
//                      limit of the size of the components, up to rounding
//   is_central         true if force_over_distance(d, p), F_0 over d, is rounded like that of pair
//                      potentials, which is cheaper; two ends only
//   has_strength       true if a factor may scale all terms of the kind; central terms only
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/potentials/chain_geometry.hpp"

namespace nfold::kernels {

/// U = (k/2)(r - length)^2
struct Bond {
  static constexpr int ends = 2, parameters = 2, closing = 1;
  static constexpr bool is_central = false, has_strength = false;
  enum Parameter { length, k };  // [nm], [kJ/mol/nm^2]

  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    const Real stretch = Kokkos::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - p[length];
    return Real(0.5) * p[k] * stretch * stretch;
  }
  template <class Real>
  static NFOLD_FUNCTION Real forces(const BondVector<Real>& a, const Real* p, Real* f) {
    const Real pull = p[k] * (a.length - p[length]) * a.inverse_length;
    for (int axis = 0; axis < 3; ++axis) f[axis] = pull * a.d[axis];
    return Kokkos::abs(pull) * a.length;
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    forces(BondVector<Real>(d), p, f);
  }
};

}  // namespace nfold::kernels
