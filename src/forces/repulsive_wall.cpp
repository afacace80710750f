// Bounds of the slopes of pair potentials; their forms and sources: kernels/.
// SPDX-License-Identifier: BSD-3-Clause
#include "forces/repulsive_wall.hpp"

#include <algorithm>
#include <cmath>

#include "forces/wang_frenkel_shape.hpp"

namespace nfold::forces {

namespace {

/// slope: falls with the distance.
template <class Slope>
double distance_of(double force, double cutoff_nm, const Slope& slope) {
  double low = 0, high = cutoff_nm;
  if (slope(high) > force) return cutoff_nm;
  for (int halvings = 0; halvings < 60; ++halvings) {
    const double middle = 0.5 * (low + high);
    (slope(middle) > force ? low : high) = middle;
  }
  return high;
}

double largest_of(const std::vector<double>& values, double least) {
  double largest = least;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

double wang_frenkel_slope(const topology::ShortRange& s, double r) {
  double largest = 0;
  for (const auto& pair : s.pairs) {
    const auto [inverse_x, amplitude] = wang_frenkel_shape(pair);
    const double y = std::pow(pair.sigma_nm / r, 2 * pair.mu);
    const double reach = std::max(y, inverse_x);
    largest = std::max(largest, 2 * pair.mu * y * std::abs(amplitude) * reach *
                                    (reach + 2 * std::max(y, 1.0)) / r);
  }
  return largest;
}

}  // namespace

double wall_nm(const topology::ShortRange& short_range, double force) {
  const auto& s = short_range;
  return distance_of(force, s.cutoff_nm, [&](double r) {
    switch (s.form) {
      case topology::ShortRangeForm::repulsion_12:
        return 12 * s.epsilon_kj_mol * std::pow(s.sigma_nm / r, 12) / r;
      case topology::ShortRangeForm::ashbaugh_hatch: {
        const double q3 = std::pow(largest_of(s.type_sigma_nm, 0) / r, 6);
        return largest_of(s.type_lambda, 1) * 24 * s.epsilon_kj_mol * (2 * q3 + 1) * q3 / r;
      }
      case topology::ShortRangeForm::wang_frenkel:
        return wang_frenkel_slope(s, r);
    }
    return force;
  });
}

double wall_nm(const topology::Electrostatics& electrostatics, double largest_charge_e,
               double force) {
  const auto& e = electrostatics;
  if (!e.acts() || largest_charge_e == 0) return 0;
  const double strength = e.coulomb_kj_mol_nm * largest_charge_e * largest_charge_e;
  return distance_of(force, e.cutoff_nm, [&](double r) {
    return strength * std::exp(-e.kappa_per_nm * r) * (1 / r + e.kappa_per_nm) / r;
  });
}

}  // namespace nfold::forces
