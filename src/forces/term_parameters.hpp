// What the kernels make of the topology's terms: which of theirs, and its parameters.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include "kernels/potentials/angle.hpp"
#include "kernels/potentials/bond.hpp"
#include "kernels/potentials/contact_12_10.hpp"
#include "kernels/potentials/contact_gaussian.hpp"
#include "kernels/potentials/dihedral.hpp"
#include "topology/topology.hpp"

namespace nfold::forces {

/// The kernels' term of one of the topology's.
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
/// Of a kind of the one list.
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

}  // namespace nfold::forces
