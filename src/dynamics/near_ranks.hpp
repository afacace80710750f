// Which ranks have residues near another rank's: on cells, as the halo looks for ghosts.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "domain/partition.hpp"
#include "system/box.hpp"

namespace nfold::dynamics {

/// (residues) A bit a rank (64 at most) that owns a residue in a cell near this one's, nearest
/// images, in cells of a third of the range or larger. of_some: (residues) those that count and are
/// told of, all others get 0; empty: all count.
[[nodiscard]] std::vector<std::uint64_t> near_ranks(const system::Box& box,
                                                    const std::vector<std::array<double, 3>>& x_nm,
                                                    const domain::Ownership& owner,
                                                    const std::vector<char>& of_some,
                                                    double range_nm);

}  // namespace nfold::dynamics
