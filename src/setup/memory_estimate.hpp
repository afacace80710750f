// How much memory a system needs, before anything of it is allocated.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "topology/topology.hpp"

namespace nfold::setup {

/// The largest number of residues within `range_nm` of one, in the native structure; of a large
/// system every n-th residue is looked at.
[[nodiscard]] int most_neighbours(const topology::Topology& topology, double range_nm);

struct SystemMemory {
  std::int64_t topology_bytes = 0;  ///< on every rank
  std::int64_t engine_bytes = 0;    ///< of all ranks together, without ghosts
};

/// Estimate for the densest state, the native one; list_range_nm is cutoff and skin together.
[[nodiscard]] SystemMemory estimate_memory(const topology::Topology& topology,
                                           double list_range_nm);

}  // namespace nfold::setup
