// Screened electrostatics between charged residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/mathematics.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// U = q_i q_j K [exp(-kappa r)/r - exp(-kappa rc)/rc if shifted] for r < rc, K = ke/eps_r. The
/// interface is in kernels/potentials/repulsion_12.hpp.
template <class Real>
struct DebyeHueckel {
  static constexpr PairColumns columns = PairColumns::charge;
  Real coulomb;         // [kJ nm/mol]
  Real coulomb_force;   // K in the caller's force unit
  Real kappa;           // [1/nm]
  Real cutoff_squared;  // [nm^2]
  Real at_cutoff;       // exp(-kappa rc)/rc [1/nm]; 0 if not shifted

  struct Own {
    Real charge;
  };
  template <class Precision>
  static NFOLD_FUNCTION Own own(const Partners<Precision>& p) {
    return {static_cast<Real>(p.charge[0])};
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION bool in_range(Real r2, const Own& /*own*/,
                                             const Partners<Precision>& /*p*/, int /*lane*/) const {
    return r2 < cutoff_squared;
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real energy(Real r2, const Own& own, const Partners<Precision>& p,
                                           int lane) const {
    const Real r = Kokkos::sqrt(r2);
    return coulomb * (own.charge * static_cast<Real>(p.charge[lane])) *
           (exponential_decay(kappa, r) / r - at_cutoff);
  }
  template <class Precision>
  [[nodiscard]] NFOLD_FUNCTION Real force_over_distance(Real r2, const Own& own,
                                                        const Partners<Precision>& p,
                                                        int lane) const {
    const Real r = square_root(r2);
    const Real inverse_squared = reciprocal(r2);
    // (1/r + kappa) / r^2, with 1/r = r / r^2
    const Real steep = fused(r, inverse_squared, kappa) * inverse_squared;
    return coulomb_force * own.charge * static_cast<Real>(p.charge[lane]) *
           exponential_decay(kappa, r) * steep;
  }
};

}  // namespace nfold::kernels
