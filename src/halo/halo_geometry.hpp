// The cells that all ranks agree on, and which part of them concerns two ranks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/halo/halo_grid.hpp"
#include "system/box.hpp"

namespace nfold::halo {

/// Cells of a third of the range (400,000 residues on 8 ranks, range 4.3 nm: 60,000 ghosts a rank,
/// 68,000 with halves, 83,000 with cells as wide as the range, of 55,000 needed), of a half or all
/// of it where those are too many; then the longest axis gets half as many until they fit. Wider
/// cells along a periodic axis and, once, along an open one; beyond that an open axis closes on
/// itself earlier. `extent_nm` is the spread of the residues along open axes, as it was once: only
/// the number of surplus ghosts depends on it. Throws std::invalid_argument unless range_nm is a
/// number > 0.
[[nodiscard]] kernels::HaloGrid choose_halo_grid(const system::Box& box,
                                                 const std::array<double, 3>& extent_nm,
                                                 double range_nm, double most_cells);

/// Bits of a bitmap that are worth their while for so many residues: 128 KiB to 2 MiB, of which
/// ranks send each other only what they share.
[[nodiscard]] double most_halo_cells(std::int64_t residues);

/// Ascending places on a circle that are marked in `mine` and at most `reach` from one in `theirs`.
[[nodiscard]] std::vector<int> shared_places(std::span<const char> mine,
                                             std::span<const char> theirs, int reach);

/// Which places along each axis of a grid hold a cell of some rank's: (grid.places()) by slow,
/// middle, fast.
using HaloMarks = std::span<const char>;

/// The part of a rank's bitmap that may be near a cell of another's; both get the same. Empty if
/// it is along any axis. Its places are added to the table.
[[nodiscard]] kernels::HaloWindow shared_window(const kernels::HaloGrid& grid, HaloMarks mine,
                                                HaloMarks theirs, int offset,
                                                std::vector<int>& table);

}  // namespace nfold::halo
