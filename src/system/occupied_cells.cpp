// Runs of cells along periodic and open axes.
// SPDX-License-Identifier: BSD-3-Clause

#include "system/occupied_cells.hpp"

namespace nfold::system {

OccupiedCells::Runs OccupiedCells::runs_near(std::size_t axis, std::int64_t index,
                                             std::int64_t reach) const {
  const std::int64_t cells = grid_.cells_along(axis);
  const std::int64_t first = index - reach, last = index + reach;
  if (cells == 0) {
    // Indices of cells are not negative and have at most key_bits bits.
    const auto most = static_cast<std::int64_t>(CellGrid::key_mask);
    if (last < 0 || first > most) return {};
    return {1, {{{std::max<std::int64_t>(first, 0), std::min(last, most)}}}};
  }
  if (last - first + 1 >= cells) return {1, {{{0, cells - 1}}}};
  if (first < 0) return {2, {{{0, last}, {first + cells, cells - 1}}}};
  if (last >= cells) return {2, {{{0, last - cells}, {first, cells - 1}}}};
  return {1, {{{first, last}}}};
}

}  // namespace nfold::system
