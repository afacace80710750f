// Ashbaugh-Hatch attraction of disordered proteins, scaled by each residue's stickiness.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// With s and l the means of both residues, LJ(r) = 4 epsilon [(s/r)^12 - (s/r)^6] and r_m =
/// 2^(1/6) s: U = LJ(r) + epsilon (1 - l) up to r_m, l LJ(r) beyond it, minus l LJ(cutoff) if
/// shifted. Ashbaugh, Hatch, J. Am. Chem. Soc. 130, 9536 (2008). The interface is in
/// kernels/potentials/repulsion_12.hpp. Only the general form supports cutoffs proportional to
/// sigma, and folded domains whose residues take l = 0 among themselves.
template <class Real, bool general>
struct AshbaughHatch {
  static constexpr PairColumns columns =
      general ? PairColumns::mixing_and_kind : PairColumns::mixing;
  Real epsilon;                    // [kJ/mol]
  Real epsilon_24;                 // 24 epsilon in the caller's force unit
  Real cutoff_squared;             // [nm^2]
  Real cutoff_over_sigma_squared;  // 0: one cutoff for all pairs
  bool shifted;
  bool domains_only_repel;

  struct Own {
    Real half_sigma, half_lambda;
    std::int64_t kind;
  };
  template <class Precision>
  static NFOLD_FUNCTION Own own(const Partners<Precision>& p) {
    return {static_cast<Real>(p.half_sigma[0]), static_cast<Real>(p.half_lambda[0]), p.kind[0]};
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real lambda(const Own& own, const Partners<Precision>& p,
                                           int lane) const {
    const Real l = own.half_lambda + static_cast<Real>(p.half_lambda[lane]);
    if constexpr (general) {
      using Kind = typename Precision::Coordinate;
      const auto mine = static_cast<Kind>(own.kind);
      const bool same =
          domains_only_repel & ((mine ^ p.kind[lane]) < types_at_most) & (mine >= types_at_most);
      return same ? Real(0) : l;
    }
    return l;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION bool in_range(Real r2, const Own& own, const Partners<Precision>& p,
                                             int lane) const {
    if constexpr (general) {
      const Real s = own.half_sigma + static_cast<Real>(p.half_sigma[lane]);
      const Real by_sigma = cutoff_over_sigma_squared * (s * s);
      return (r2 < cutoff_squared) & !((by_sigma > Real(0)) & !(r2 < by_sigma));
    }
    return r2 < cutoff_squared;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real energy(Real r2, const Own& own, const Partners<Precision>& p,
                                           int lane) const {
    const Real s = own.half_sigma + static_cast<Real>(p.half_sigma[lane]);
    const Real l = lambda(own, p, lane);
    const Real lj = lennard_jones(s * s / r2);
    Real at_cutoff = Real(0);
    if (shifted) {
      const Real by_sigma = cutoff_over_sigma_squared * (s * s);
      const bool own_cutoff = (by_sigma > Real(0)) & (by_sigma < cutoff_squared);
      at_cutoff = l * lennard_jones(s * s / (own_cutoff ? by_sigma : cutoff_squared));
    }
    return (r2 <= minimum_squared * (s * s) ? lj + epsilon * (Real(1) - l) : l * lj) - at_cutoff;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real force_over_distance(Real r2, const Own& own,
                                                        const Partners<Precision>& p,
                                                        int lane) const {
    const Real s = own.half_sigma + static_cast<Real>(p.half_sigma[lane]);
    const Real s2 = s * s;
    const Real l = lambda(own, p, lane);
    const Real inverse = reciprocal(r2);
    const Real q = s2 * inverse;
    const Real q3 = q * q * q;
    const Real full = q3 * fused(Real(2) * epsilon_24, q3, -epsilon_24) * inverse;
    // The choice is made at the minimum, where the force is 0.
    return (q >= Real(1) / minimum_squared ? Real(1) : l) * full;
  }

 private:
  static constexpr Real minimum_squared = Real(1.2599210498948731648);  // 2^(1/3)
  [[nodiscard]] NFOLD_FUNCTION Real lennard_jones(Real q) const {
    const Real q3 = q * q * q;
    return Real(4) * epsilon * q3 * (q3 - Real(1));
  }
};

}  // namespace nfold::kernels
