// Wang-Frenkel short-range attraction of Mpipi, tabulated by pair of residue types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// U = A (y - 1)(y - 1/x)^2 for r < 3 sigma, y = (sigma/r)^(2 mu), x = 3^(2 mu), A = epsilon
/// (27/4)(1 - 1/x)^-3, mu = 2, 4 or 11. Wang et al., Phys. Chem. Chem. Phys. 22, 10624 (2020). The
/// interface is in kernels/potentials/repulsion_12.hpp.
template <class Real>
struct WangFrenkel {
  static constexpr PairColumns columns = PairColumns::kind;
  static constexpr int parameters = 4;
  enum Parameter { sigma_squared, amplitude, inverse_x, mu };

  const Real* table;  // (types, types, parameters)
  int types;
  Real cutoff_squared;  // [nm^2] of the pair of types with the longest cutoff
  Real two;             // 2 in the caller's force unit

  struct Own {
    int first;  // offset of this type's row in the table
  };
  template <class Precision>
  NFOLD_FUNCTION Own own(const Partners<Precision>& p) const {
    return {static_cast<int>(p.kind[0] % types_at_most) * types * parameters};
  }
  template <class Precision>
  static NFOLD_FUNCTION int entry(const Own& own, const Partners<Precision>& p, int lane) {
    return own.first + static_cast<int>(p.kind[lane] & (types_at_most - 1)) * parameters;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION bool in_range(Real r2, const Own& own, const Partners<Precision>& p,
                                             int lane) const {
    return r2 < Real(9) * table[entry(own, p, lane) + sigma_squared];
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real energy(Real r2, const Own& own, const Partners<Precision>& p,
                                           int lane) const {
    const int e = entry(own, p, lane);
    const Real y = power(table[e + sigma_squared] / r2, table[e + mu]);
    const Real reach = y - table[e + inverse_x];
    return table[e + amplitude] * (y - Real(1)) * reach * reach;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real force_over_distance(Real r2, const Own& own,
                                                        const Partners<Precision>& p,
                                                        int lane) const {
    const int e = entry(own, p, lane);
    const Real inverse = reciprocal(r2);
    const Real y = power(table[e + sigma_squared] * inverse, table[e + mu]);
    const Real reach = y - table[e + inverse_x];
    return two * table[e + mu] * y * table[e + amplitude] * reach *
           (reach + Real(2) * (y - Real(1))) * inverse;
  }

 private:
  /// Returns q^mu.
  static NFOLD_FUNCTION Real power(Real q, Real mu) {
    const Real q2 = q * q;
    const Real q4 = q2 * q2;
    const Real q11 = q4 * q4 * q2 * q;
    return mu < Real(3) ? q2 : mu < Real(5) ? q4 : q11;
  }
};

}  // namespace nfold::kernels
