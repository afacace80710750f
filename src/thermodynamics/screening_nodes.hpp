// Electrostatic energy as a function of the screening, from its values at a few screenings.
// SPDX-License-Identifier: BSD-3-Clause
//
// A configuration's screened energy is no sum of a few terms that states weigh differently, as
// contacts and umbrellas are. But as a function of kappa it is one of exp(-kappa r) with r up to
// the cutoff, which a polynomial through Chebyshev's nodes meets to any digit (Trefethen,
// Approximation Theory and Approximation Practice (2013), chapter 8).
#pragma once

#include <cstddef>
#include <vector>

#include "replicas/thermodynamic_state.hpp"

namespace nfold::thermodynamics {

/// Inverse Debye lengths at which energies are kept, and how those of others follow from them.
class ScreeningNodes {
 public:
  /// None: states do not differ in their charges.
  ScreeningNodes() = default;
  /// As many as it takes that exp(-kappa r) up to the cutoff is met to `tolerance` at any kappa
  /// between the lowest and the highest of these states; none if their charges are all the same.
  /// Polynomials between equal numbers are the same everywhere: nodes are multiples of 2^-40.
  ScreeningNodes(const std::vector<replicas::ThermodynamicState>& states, double cutoff_nm);

  static constexpr double tolerance = 1e-9;

  [[nodiscard]] const std::vector<double>& kappa_per_nm() const { return kappa_; }
  [[nodiscard]] std::size_t size() const { return kappa_.size(); }
  /// (nodes) what energies at the nodes count for in the one at this kappa; their sum is 1.
  [[nodiscard]] std::vector<double> weights(double kappa_per_nm) const;

 private:
  std::vector<double> kappa_;        // ascending
  std::vector<double> barycentric_;  // (nodes) Berrut and Trefethen, SIAM Rev. 46, 501 (2004)
};

}  // namespace nfold::thermodynamics
