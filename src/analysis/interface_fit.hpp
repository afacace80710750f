// Fit of two interfaces to the density profile of a slab.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace nfold::analysis {

/// Profile (dense + dilute) / 2 - (dense - dilute) / 2 tanh((|z| - half) / width) of a slab about
/// z = 0.
struct Interface {
  double dense, dilute;  ///< densities far from the interface
  double half_nm;        ///< half the thickness of the slab
  double width_nm;  ///< width of the tanh; from 10 to 90 % the density rises within 2.197 widths
};

/// Returns the interface with the least sum of squares, with densities of at least zero, for
/// thicknesses up to the largest distance and widths from 0.05 nm to that distance. distance_nm:
/// |z| of each density, ascending; at least two. Uses + - * / and sqrt only, so that a run that
/// ends by it does so at the same step on every machine.
[[nodiscard]] Interface fit_interface(std::span<const double> distance_nm,
                                      std::span<const double> density);

/// Returns the density of an interface at a distance from the middle of the slab.
[[nodiscard]] double density_at(const Interface& interface, double distance_nm);

}  // namespace nfold::analysis
