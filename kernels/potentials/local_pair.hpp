// Pair potential between two given residues: Ashbaugh-Hatch and screened charges, without cutoff.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/arithmetic/portable.hpp"

namespace nfold::kernels {

/// With LJ(r) = 4 epsilon [(s/r)^12 - (s/r)^6] and r_m = 2^(1/6) s: U = LJ(r) + epsilon (1 -
/// lambda) up to r_m, lambda LJ(r) beyond it, plus (A/r) exp(-kappa r), minus a constant. Stacking
/// of RNA bases: I. Yasuda, S. von Buelow, G. Tesei, E. Yamamoto, K. Yasuoka and K.
/// Lindorff-Larsen, A coarse-grained model of disordered RNA for simulations of biomolecular
/// condensates (2024), with the code KULL-Centre/_2024_yasuda_RNA. The interface is in
/// kernels/potentials/bond.hpp.
struct LocalPair {
  static constexpr int ends = 2, parameters = 6, closing = 1;
  static constexpr bool is_central = true, has_strength = true;
  // s^2 [nm^2], [kJ/mol], [], A [kJ nm/mol], [1/nm], [kJ/mol]
  enum Parameter { sigma_squared, epsilon, lambda, amplitude, kappa, shift };

  template <class Real>
  static NFOLD_FUNCTION Real energy(const Real* d, const Real* p) {
    const Real r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const Real r = Kokkos::sqrt(r2);
    const Real q = p[sigma_squared] / r2;
    const Real lennard_jones = Real(4) * p[epsilon] * (q * q * q) * (q * q * q - Real(1));
    const Real contact = q >= at_minimum<Real> ? lennard_jones + p[epsilon] * (Real(1) - p[lambda])
                                               : p[lambda] * lennard_jones;
    return contact + p[amplitude] * exponential_decay(p[kappa], r) / r - p[shift];
  }
  template <class Real>
  static NFOLD_FUNCTION Real force_over_distance(const Real* d, const Real* p) {
    const Real r2 = squared_length(d);
    const Real r = square_root(r2);
    const Real inverse = reciprocal(r2);
    const Real q = p[sigma_squared] * inverse;
    const Real q3 = q * q * q;
    const Real full = Real(-24) * p[epsilon] * q3 * (Real(2) * q3 - Real(1)) * inverse;
    // (1/r + kappa) / r^2, with 1/r = r / r^2
    const Real steep = (r * inverse + p[kappa]) * inverse;
    return (q >= at_minimum<Real> ? Real(1) : p[lambda]) * full -
           p[amplitude] * exponential_decay(p[kappa], r) * steep;
  }
  template <class Real>
  static NFOLD_FUNCTION void forces(const Real* d, const Real* p, Real* f) {
    const Real along = force_over_distance(d, p);
    for (int axis = 0; axis < 3; ++axis) f[axis] = along * d[axis];
  }

 private:
  template <class Real>
  static constexpr Real at_minimum = Real(0.79370052598409973738);  // 2^(-1/3)
};

}  // namespace nfold::kernels
