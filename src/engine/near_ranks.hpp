// Ranks with residues near another rank's residues: on cells, like the halo's search for ghosts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "domain/partition.hpp"
#include "system/box.hpp"

namespace nfold::engine {

/// Returns (residues) a bit mask of the ranks (64 at most) that own a residue in a cell near this
/// one's, with nearest images, in cells of at least a third of the range. of_some: (residues)
/// nonzero for residues to include, all others get 0; empty: includes all.
[[nodiscard]] std::vector<std::uint64_t> near_ranks(const system::Box& box,
                                                    const std::vector<std::array<double, 3>>& x_nm,
                                                    const domain::Ownership& owner,
                                                    const std::vector<char>& of_some,
                                                    double range_nm);

}  // namespace nfold::engine
