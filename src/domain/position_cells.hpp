// Cells of exact positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "system/cell_grid.hpp"
#include "system/corners.hpp"
#include "system/state.hpp"

namespace nfold::domain {

[[nodiscard]] inline system::CellGrid::Point to_nm(const system::Box& box,
                                                   const system::FixedPosition& position) {
  return {box.to_nm(0, position[0]), box.to_nm(1, position[1]), box.to_nm(2, position[2])};
}

/// A grid from the positions' low corner on. Throws std::invalid_argument unless width_nm is a
/// number > 0.
[[nodiscard]] inline system::CellGrid grid_of(const system::Box& box,
                                              std::span<const system::FixedPosition> positions,
                                              double width_nm) {
  const auto [low, high] = system::find_corners(positions);
  return system::CellGrid::between(box, to_nm(box, low), to_nm(box, high), width_nm);
}

[[nodiscard]] inline std::uint64_t key_of(const system::CellGrid& grid,
                                          const system::FixedPosition& position) {
  return system::CellGrid::key_of(grid.cell_of(grid.into_box(to_nm(grid.box(), position))));
}

}  // namespace nfold::domain
