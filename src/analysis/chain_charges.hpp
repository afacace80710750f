// Charges of a chain and their pattern along it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model/topology/topology.hpp"

namespace nfold::analysis {

/// Charges of a chain as the model has them, with its ends.
struct ChainCharges {
  double net = 0;                     ///< [e]
  double positive = 0, negative = 0;  ///< sum of the charges of one sign over the residues [e]
  /// sum_(i<j) q_i q_j |i-j|^(1/2) / N [e^2]: Sawle and Ghosh, J. Chem. Phys. 143, 085101 (2015).
  double decoration = 0;
  /// Segregation of charges of opposite sign, 0 of mixed and 1 of separated ones: Das and Pappu,
  /// Proc. Natl. Acad. Sci. USA 110, 13392 (2013). The asymmetry of pieces of 5 and of 6 residues
  /// is averaged. NaN without charges of both signs, or with fewer than 6 residues.
  double kappa;
};
[[nodiscard]] ChainCharges chain_charges(const topology::Topology& topology);

}  // namespace nfold::analysis
