// Mapping from the topology's terms to the kernels' terms and parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/potentials/contact_12_10.hpp"
#include "kernels/potentials/contact_gaussian.hpp"
#include "kernels/potentials/dihedral.hpp"
#include "kernels/potentials/flexible_dihedral.hpp"
#include "kernels/potentials/local_pair.hpp"
#include "kernels/potentials/tabulated_angle.hpp"
#include "model/topology/topology.hpp"

namespace nfold::forces {

/// Kernel term for a term of the topology.
template <class Term>
struct KernelOf;
template <>
struct KernelOf<topology::Bond> {
  using Term = kernels::Bond;
};
template <>
struct KernelOf<topology::Angle> {
  using Term = kernels::Angle;
};
template <>
struct KernelOf<topology::Dihedral> {
  using Term = kernels::Dihedral;
};
template <>
struct KernelOf<topology::Contact1210> {
  using Term = kernels::Contact1210;
};
template <>
struct KernelOf<topology::ContactGaussian> {
  using Term = kernels::ContactGaussian;
};
template <>
struct KernelOf<topology::TabulatedAngle> {
  using Term = kernels::TabulatedAngle;
};
template <>
struct KernelOf<topology::LocalPair> {
  using Term = kernels::LocalPair;
};
template <>
struct KernelOf<topology::FlexibleDihedral> {
  using Term = kernels::FlexibleDihedral;
};
/// Kernel term of a kind in topology::BondedKinds.
template <class Kind>
using KernelTerm = typename KernelOf<typename Kind::Term>::Term;

[[nodiscard]] inline std::array<double, 2> term_parameters(const topology::Bond& t) {
  return {t.length_nm, t.k_kj_mol_nm2};
}
[[nodiscard]] inline std::array<double, 2> term_parameters(const topology::Angle& t) {
  return {t.theta0_rad, t.k_kj_mol_rad2};
}
[[nodiscard]] inline std::array<double, 4> term_parameters(const topology::Dihedral& t) {
  return {std::cos(t.phi0_rad), std::sin(t.phi0_rad), t.k1_kj_mol, t.k3_kj_mol};
}
[[nodiscard]] inline std::array<double, 2> term_parameters(const topology::Contact1210& t) {
  return {t.distance_nm * t.distance_nm, t.epsilon_kj_mol};
}
[[nodiscard]] inline std::array<double, 4> term_parameters(const topology::ContactGaussian& t) {
  return {t.distance_nm, t.epsilon_kj_mol, 1 / (t.sigma_nm * t.sigma_nm), t.a_kj_mol_nm12};
}

[[nodiscard]] inline std::array<double, 6> term_parameters(const topology::LocalPair& t) {
  return {t.sigma_nm * t.sigma_nm, t.epsilon_kj_mol, t.lambda,
          t.amplitude_kj_mol_nm,   t.kappa_per_nm,   t.shift_kj_mol};
}
[[nodiscard]] inline std::array<double, 11> term_parameters(const topology::FlexibleDihedral& t) {
  const auto& c = t.fourier_kj_mol;
  return {c[0],
          c[1],
          c[2],
          c[3],
          c[4],
          c[5],
          c[6],
          std::cos(t.phi0_rad),
          std::sin(t.phi0_rad),
          t.depth_kj_mol,
          1 / (t.width_rad * t.width_rad)};
}
[[nodiscard]] inline auto term_parameters(const topology::TabulatedAngle& t) {
  using Kernel = kernels::TabulatedAngle;
  static_assert(Kernel::nodes == topology::TabulatedAngle::nodes);
  std::array<double, Kernel::parameters> p{t.first_rad, 1 / t.step_rad, t.low_rad, t.high_rad,
                                           t.outer_slope_kj_mol_rad};
  for (std::size_t k = 0; k < Kernel::nodes; ++k) {
    p[Kernel::node_energy + k] = t.energy_kj_mol[k];
    p[Kernel::node_curvature + k] = t.curvature_kj_mol_rad2[k] * t.step_rad * t.step_rad / 6;
  }
  return p;
}

}  // namespace nfold::forces
