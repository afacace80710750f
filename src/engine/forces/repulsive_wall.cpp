// Upper bounds of the slopes of pair potentials.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/forces/repulsive_wall.hpp"

#include <cmath>

namespace nfold::forces {

namespace {

/// Bisects for the distance of a force; slope must decrease with the distance.
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

}  // namespace

double wall_nm(const topology::ShortRange& short_range, double force) {
  return pair_forms::with_form(short_range.form, [&](auto form) {
    return distance_of(force, short_range.cutoff_nm,
                       [&](double r) { return form.steepest_slope(short_range, r); });
  });
}

double wall_nm(const topology::Electrostatics& electrostatics, double largest_charge_e,
               double force) {
  const auto& e = electrostatics;
  if (!e.acts() || largest_charge_e == 0) return 0;
  if (e.tabulated != nullptr) {
    const double product = e.multiplies_charges ? largest_charge_e * largest_charge_e : 1;
    return distance_of(force, e.cutoff_nm,
                       [&](double r) { return product * e.tabulated->curves.slope_bound(r); });
  }
  const double strength = e.coulomb_kj_mol_nm * largest_charge_e * largest_charge_e;
  return distance_of(force, e.cutoff_nm, [&](double r) {
    return strength * std::exp(-e.kappa_per_nm * r) * (1 / r + e.kappa_per_nm) / r;
  });
}

}  // namespace nfold::forces
