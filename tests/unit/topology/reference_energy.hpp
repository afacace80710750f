// Plain reference energies of the model's terms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::test {

using Position = std::array<double, 3>;
using Positions = std::vector<Position>;

inline Position minus(const Position& a, const Position& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline double dot(const Position& a, const Position& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Position cross(const Position& a, const Position& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double distance(const Positions& x, int i, int j) {
  const Position d = minus(x[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(j)]);
  return std::sqrt(dot(d, d));
}

inline double energy(const topology::Bond& b, const Positions& x) {
  const double d = distance(x, b.i, b.j) - b.length_nm;
  return 0.5 * b.k_kj_mol_nm2 * d * d;
}
inline double energy(const topology::Angle& a, const Positions& x) {
  const Position u = minus(x[static_cast<std::size_t>(a.i)], x[static_cast<std::size_t>(a.j)]);
  const Position v = minus(x[static_cast<std::size_t>(a.k)], x[static_cast<std::size_t>(a.j)]);
  const double d = std::acos(dot(u, v) / std::sqrt(dot(u, u) * dot(v, v))) - a.theta0_rad;
  return 0.5 * a.k_kj_mol_rad2 * d * d;
}
inline double energy(const topology::Dihedral& d, const Positions& x) {
  const auto at = [&](int i) { return x[static_cast<std::size_t>(i)]; };
  const Position b1 = minus(at(d.j), at(d.i)), b2 = minus(at(d.k), at(d.j)),
                 b3 = minus(at(d.l), at(d.k));
  const Position n1 = cross(b1, b2), n2 = cross(b2, b3);
  const double phi = std::atan2(std::sqrt(dot(b2, b2)) * dot(b1, n2), dot(n1, n2));
  return d.k1_kj_mol * (1 - std::cos(phi - d.phi0_rad)) +
         d.k3_kj_mol * (1 - std::cos(3 * (phi - d.phi0_rad)));
}
inline double energy(const topology::Contact1210& c, const Positions& x) {
  const double q = c.distance_nm / distance(x, c.i, c.j);
  return c.epsilon_kj_mol * (5 * std::pow(q, 12) - 6 * std::pow(q, 10));
}
inline double energy(const topology::ContactGaussian& c, const Positions& x) {
  const double r = distance(x, c.i, c.j), d = r - c.distance_nm;
  const double g = std::exp(-d * d / (2 * c.sigma_nm * c.sigma_nm));
  return -c.epsilon_kj_mol * g + c.a_kj_mol_nm12 / std::pow(r, 12) * (1 - g);
}
inline double energy(const topology::ShortRange& p, double r) {
  return r < p.cutoff_nm ? p.epsilon_kj_mol * std::pow(p.sigma_nm / r, 12) : 0;
}

template <typename Terms>
double total(const Terms& terms, const Positions& x) {
  double sum = 0;
  for (const auto& term : terms) sum += energy(term, x);
  return sum;
}

}  // namespace nfold::test
