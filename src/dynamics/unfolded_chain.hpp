// Grows a chain as a self-avoiding coil, residue by residue, from a seed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "topology/topology.hpp"

namespace nfold::dynamics {

/// What the growth of every chain needs to know, sorted by residue; residue ids are global.
class GrowthRules {
 public:
  /// Throws std::invalid_argument for a bond other than between consecutive residues of a chain:
  /// growing along the chain could not close it.
  explicit GrowthRules(const topology::Topology& topology);

  struct NativePair {
    int earlier;
    double distance_nm;
  };

  std::vector<double> bond_nm;          ///< (residues) to the one before; 0: starts a segment
  std::vector<double> angle_rad;        ///< (residues) at the one before; 0: no such term
  std::vector<std::size_t> first_pair;  ///< (residues + 1)
  std::vector<NativePair> pair;  ///< contacts of i with earlier ones: first_pair[i] .. [i + 1] - 1
  double hard_core_nm = 0;       ///< least distance of two residues that are 1-4 apart or further
};

/// (chain.count) coordinates [nm], the first residue at the origin. Native bond lengths; angles
/// within 10 degrees of the native one, or from 90 to 150 where there is none; any dihedral. No two
/// residues within the hard core, no native pair nearer than its native distance: no repulsive wall
/// is touched, so no force is huge. Segments of a chain begin 0.6 to 1.2 nm
/// from the end of the one before. Throws std::runtime_error naming the residue for which no room
/// was found.
[[nodiscard]] std::vector<std::array<double, 3>> grow_chain(const topology::Topology& topology,
                                                            const GrowthRules& rules,
                                                            const topology::Chain& chain,
                                                            std::uint64_t seed);

}  // namespace nfold::dynamics
