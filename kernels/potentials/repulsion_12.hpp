// Excluded volume between residues that share no term.
// SPDX-License-Identifier: BSD-3-Clause
//
// Interface of a pair potential for its loops (kernels/loops/pair_loop.hpp), here and in the
// sibling files:
//   columns                          residue data that it reads beside the position
//   Own                              data of one residue; own(p) reads it from lane 0 of p
//   in_range(r2, own, p, lane)       true if the pair acts
//   force_over_distance(...)         -(1/r) dU/dr: F_i = this times (x_i - x_j); its force unit is
//                                    set at construction, a power of two [kJ/mol/nm]
//   energy(...)                      [kJ/mol], used in double
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// U = epsilon (sigma/r)^12 for r < cutoff, truncated without shift.
template <class Real>
struct Repulsion12 {
  static constexpr PairColumns columns = PairColumns::none;
  Real epsilon;         // [kJ/mol]
  Real epsilon_12;      // 12 epsilon in the caller's force unit
  Real sigma_squared;   // [nm^2]
  Real cutoff_squared;  // [nm^2]

  struct Own {};
  template <class Precision>
  static NFOLD_FUNCTION Own own(const Partners<Precision>& /*p*/) {
    return {};
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION bool in_range(Real r2, const Own& /*own*/,
                                             const Partners<Precision>& /*p*/, int /*lane*/) const {
    return r2 < cutoff_squared;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real energy(Real r2, const Own& /*own*/,
                                           const Partners<Precision>& /*p*/, int /*lane*/) const {
    const Real q = sigma_squared / r2;
    const Real q3 = q * q * q;
    return epsilon * q3 * q3;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real force_over_distance(Real r2, const Own& /*own*/,
                                                        const Partners<Precision>& /*p*/,
                                                        int /*lane*/) const {
    const Real inverse = reciprocal(r2);
    const Real q = sigma_squared * inverse;
    const Real q3 = q * q * q;
    return epsilon_12 * q3 * q3 * inverse;
  }
};

}  // namespace nfold::kernels
