// Kim-Hummer short-range attraction or repulsion, tabulated by pair of residue types.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// Ashbaugh-Hatch form with an epsilon and a lambda for each pair of types, lambda being 1
/// (attraction) or -1 (repulsion at any distance). With LJ(r) = 4 epsilon [(s/r)^12 - (s/r)^6]: U =
/// LJ(r) + epsilon (1 - lambda) up to 2^(1/6) s, lambda LJ(r) beyond it, minus lambda LJ(cutoff) if
/// shifted. Kim and Hummer, J. Mol. Biol. 375, 1416 (2008). Residues of one folded domain may take
/// lambda = 0. The interface is in kernels/potentials/repulsion_12.hpp.
template <class Real>
struct KimHummer {
  static constexpr PairColumns columns = PairColumns::kind;
  static constexpr int parameters = 4;
  enum Parameter { sigma_squared, epsilon, lambda, cutoff_squared };

  const Real* table;  // (types, types, parameters)
  int types;
  Real twenty_four;  // 24 in the caller's force unit
  bool shifted;
  bool domains_only_repel;

  struct Own {
    int first;  // offset of this type's row in the table
    std::int64_t kind;
  };
  template <class Precision>
  NFOLD_FUNCTION Own own(const Partners<Precision>& p) const {
    const auto type = static_cast<int>(p.kind[0] % types_at_most);
    return {type * types * parameters, p.kind[0]};
  }
  template <class Precision>
  static NFOLD_FUNCTION int entry(const Own& own, const Partners<Precision>& p, int lane) {
    return own.first + static_cast<int>(p.kind[lane] & (types_at_most - 1)) * parameters;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real lambda_of(const Own& own, const Partners<Precision>& p,
                                              int lane) const {
    using Kind = typename Precision::Coordinate;
    const auto mine = static_cast<Kind>(own.kind);
    const bool same =
        domains_only_repel & ((mine ^ p.kind[lane]) < types_at_most) & (mine >= types_at_most);
    return same ? Real(0) : table[entry(own, p, lane) + lambda];
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION bool in_range(Real r2, const Own& own, const Partners<Precision>& p,
                                             int lane) const {
    return r2 < table[entry(own, p, lane) + cutoff_squared];
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real energy(Real r2, const Own& own, const Partners<Precision>& p,
                                           int lane) const {
    const int e = entry(own, p, lane);
    const Real s2 = table[e + sigma_squared], depth = table[e + epsilon];
    const Real l = lambda_of(own, p, lane);
    const Real lj = lennard_jones(depth, s2 / r2);
    const Real at_cutoff =
        shifted ? l * lennard_jones(depth, s2 / table[e + cutoff_squared]) : Real(0);
    return (r2 <= minimum_squared * s2 ? lj + depth * (Real(1) - l) : l * lj) - at_cutoff;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real force_over_distance(Real r2, const Own& own,
                                                        const Partners<Precision>& p,
                                                        int lane) const {
    const int e = entry(own, p, lane);
    const Real l = lambda_of(own, p, lane);
    const Real inverse = reciprocal(r2);
    const Real q = table[e + sigma_squared] * inverse;
    const Real q3 = q * q * q;
    const Real strength = twenty_four * table[e + epsilon];
    const Real full = q3 * fused(Real(2) * strength, q3, -strength) * inverse;
    // The choice is made at the minimum, where the force is 0.
    return (q >= Real(1) / minimum_squared ? Real(1) : l) * full;
  }

 private:
  static constexpr Real minimum_squared = Real(1.2599210498948731648);  // 2^(1/3)
  static NFOLD_FUNCTION Real lennard_jones(Real depth, Real q) {
    const Real q3 = q * q * q;
    return Real(4) * depth * q3 * (q3 - Real(1));
  }
};

}  // namespace nfold::kernels
