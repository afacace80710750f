// Electrostatic energy at any screening, interpolated from a few screenings.
// SPDX-License-Identifier: BSD-3-Clause
//
// The screened energy of a configuration is not a sum of a few terms weighted by the states, unlike
// contacts and umbrellas. As a function of kappa it is a sum of exp(-kappa r) with r up to the
// cutoff, which a polynomial through Chebyshev nodes approximates to any accuracy (Trefethen,
// Approximation Theory and Approximation Practice (2013), chapter 8).
#pragma once

#include <cstddef>
#include <vector>

#include "system/thermodynamic_state.hpp"

namespace nfold::thermodynamics {

/// Inverse Debye lengths at which energies are stored, and the interpolation to others.
class ScreeningNodes {
 public:
  /// No nodes: the states' electrostatics do not differ.
  ScreeningNodes() = default;
  /// Chooses enough nodes to interpolate exp(-kappa r) up to the cutoff with an error below
  /// `tolerance` for any kappa between those of these states; none if their electrostatics are the
  /// same. Nodes are multiples of 2^-40, so that they are the same on every machine.
  ScreeningNodes(const std::vector<system::ThermodynamicState>& states, double cutoff_nm);

  static constexpr double tolerance = 1e-9;

  [[nodiscard]] const std::vector<double>& kappa_per_nm() const { return kappa_; }
  [[nodiscard]] std::size_t size() const { return kappa_.size(); }
  /// Returns the weights (nodes) of the energies at the nodes in the energy at this kappa; their
  /// sum is 1.
  [[nodiscard]] std::vector<double> weights(double kappa_per_nm) const;

 private:
  std::vector<double> kappa_;        // ascending
  std::vector<double> barycentric_;  // (nodes) Berrut and Trefethen, SIAM Rev. 46, 501 (2004)
};

}  // namespace nfold::thermodynamics
