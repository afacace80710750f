// Halo grid that all ranks share, and the part of it that concerns two ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/halo/halo_grid.hpp"
#include "system/box.hpp"

namespace nfold::halo {

/// Chooses cells of a third of the range (400,000 residues on 8 ranks, range 4.3 nm: 60,000 ghosts
/// a rank, 68,000 with halves, 83,000 with cells as wide as the range, of 55,000 needed); of a half
/// or all of it if those are too many; then halves the number of cells along the longest axis until
/// they fit. This widens cells along a periodic axis and, once, along an open one; beyond that an
/// open axis wraps around earlier. `extent_nm` is an earlier spread of the residues along open
/// axes: only the number of surplus ghosts depends on it. Throws std::invalid_argument unless
/// range_nm is a number > 0.
[[nodiscard]] kernels::HaloGrid choose_halo_grid(const system::Box& box,
                                                 const std::array<double, 3>& extent_nm,
                                                 double range_nm, double most_cells);

/// Useful size of a bitmap for so many residues [bits]: 128 KiB to 2 MiB, of which ranks send each
/// other only the shared part.
[[nodiscard]] double most_halo_cells(std::int64_t residues);

/// Returns the ascending indices on a circle that are marked in `mine` and at most `reach` from one
/// marked in `theirs`.
[[nodiscard]] std::vector<int> shared_indices(std::span<const char> mine,
                                              std::span<const char> theirs, int reach);

/// Flags of grid intervals that contain a cell of a rank: (grid.layer_count()) along the slow,
/// middle and fast axis.
using HaloMarks = std::span<const char>;

/// Returns the part of a rank's bitmap that may be near a cell of another rank; both ranks get the
/// same. Empty if it is empty along any axis. Appends its indices to the table.
[[nodiscard]] kernels::HaloRegion shared_region(const kernels::HaloGrid& grid, HaloMarks mine,
                                                HaloMarks theirs, int offset,
                                                std::vector<int>& table);

}  // namespace nfold::halo
