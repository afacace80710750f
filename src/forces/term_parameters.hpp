// Numbers of the topology's terms, as the kernels' terms take them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

#include "topology/topology.hpp"

namespace nfold::forces {

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
