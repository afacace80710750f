// Dihedral potential of four residues, one- and threefold.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/potentials/chain_geometry.hpp"

namespace nfold::kernels {

/// U = k1 [1 - cos(phi - phi0)] + k3 [1 - cos 3(phi - phi0)], IUPAC sign of phi (trans = 180 deg).
/// Clementi, Nymeyer, Onuchic, J. Mol. Biol. 298, 937 (2000). Sine and cosine of phi are computed
/// from the vectors, without the angle itself. The interface is in kernels/potentials/bond.hpp.
struct Dihedral {
  static constexpr int ends = 4, parameters = 4, closing = 2;
  static constexpr bool is_central = false, has_strength = false;
  enum Parameter { cosine0, sine0, k1, k3 };  // cosine and sine of phi0; [kJ/mol]

  /// Cosine and sine of phi - phi0. n1, n2: normals b1 x b2 and b2 x b3; scale: 1 over the product
  /// of their lengths.
  template <class Real>
  struct Turn {
    Real cosine, sine;
    NFOLD_FUNCTION Turn(const Real* d, const Real* p, const Real* n1, const Real* n2, Real b2,
                        Real scale) {
      const Real c = inner_product(n1, n2) * scale;
      const Real s = b2 * inner_product(d, n2) * scale;
      cosine = fused(c, p[cosine0], s * p[sine0]);
      sine = fused(s, p[cosine0], -(c * p[sine0]));
    }
  };
  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    Real n1[3], n2[3];
    cross_product(d, d + 3, n1);
    cross_product(d + 3, d + 6, n2);
    const Real scale = Real(1) / Kokkos::sqrt(squared_length(n1) * squared_length(n2));
    const Turn<Real> turn(d, p, n1, n2, Kokkos::sqrt(squared_length(d + 3)), scale);
    const Real cosine3 = turn.cosine * (Real(4) * turn.cosine * turn.cosine - Real(3));
    return p[k1] * (Real(1) - turn.cosine) + p[k3] * (Real(1) - cosine3);
  }
  /// Computes the forces from the bond vectors a, b, c and the planes of a and b and of b and c.
  template <class Real>
  static NFOLD_FUNCTION Real forces(const BondVector<Real>& a, const BondVector<Real>& b,
                                    const BondPlane<Real>& ab, const BondPlane<Real>& bc,
                                    const Real* p, Real* f) {
    const Turn<Real> turn(a.d, p, ab.normal, bc.normal, b.length,
                          ab.inverse_across * bc.inverse_across);
    const Real sine3 = turn.sine * fused(Real(-4) * turn.sine, turn.sine, Real(3));
    return dihedral_forces(b, ab, bc, fused(p[k1], turn.sine, Real(3) * p[k3] * sine3), f);
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    const BondVector<Real> a(d), b(d + 3), c(d + 6);
    forces(a, b, BondPlane<Real>(a, b), BondPlane<Real>(b, c), p, f);
  }
};

}  // namespace nfold::kernels
