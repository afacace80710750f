// What a pair of types makes of the Wang-Frenkel potential.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "topology/topology.hpp"

namespace nfold::forces {

/// U = amplitude (y - 1) (y - inverse_x)^2 with y = (sigma / r)^(2 mu), nu = 1 and the cutoff at
/// 3 sigma, where y is inverse_x (Wang et al., Phys. Chem. Chem. Phys. 22, 10624 (2020)).
struct WangFrenkelShape {
  double inverse_x = 0;
  double amplitude_kj_mol = 0;
};

[[nodiscard]] inline WangFrenkelShape wang_frenkel_shape(const topology::WangFrenkelPair& pair) {
  const double inverse_x = std::pow(3.0, -2 * pair.mu);
  return {inverse_x, pair.epsilon_kj_mol * 6.75 * std::pow(1 - inverse_x, -3)};
}

}  // namespace nfold::forces
