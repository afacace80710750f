// Least distances of residues in an initial state, by type.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "model/topology/topology.hpp"

namespace nfold::start {

/// Least distances of residues that are not bonded: `fraction` of the pair's sigma, where the
/// repulsion of an Ashbaugh-Hatch or Wang-Frenkel pair ends. A Wang-Frenkel pair with a steeper
/// wall (mu > 2) shrinks less with the fraction, so that its energy grows equally. A repulsion_12
/// (sigma / r)^12 has no such distance: it gets 1.2 sigma, where the energy is 0.11 epsilon, or
/// 0.48 nm for a model without repulsion.
class HardCore {
 public:
  HardCore(const topology::Topology& topology, double fraction);
  /// Returns the squared least distance [nm^2].
  [[nodiscard]] double squared_nm2(int type_a, int type_b) const {
    return squared_[static_cast<std::size_t>(type_a) * types_ + static_cast<std::size_t>(type_b)];
  }
  [[nodiscard]] double largest_nm() const { return largest_nm_; }

 private:
  std::size_t types_ = 1;
  std::vector<double> squared_;  // (types, types) [nm^2]
  double largest_nm_ = 0;
};

}  // namespace nfold::start
