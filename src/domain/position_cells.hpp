// Cells of exact positions.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

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

/// Positions sorted by cell.
struct SortedCells {
  std::vector<std::uint64_t> keys;  ///< (cells) ascending, unique
  std::vector<std::size_t> first;   ///< (cells + 1) into `rows`
  std::vector<std::uint32_t> rows;  ///< positions by cell, ascending within each
};
[[nodiscard]] inline SortedCells sort_by_cell(const system::CellGrid& grid,
                                              std::span<const system::FixedPosition> positions) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  order.reserve(positions.size());
  for (const auto& x : positions) {
    order.emplace_back(key_of(grid, x), static_cast<std::uint32_t>(order.size()));
  }
  std::sort(order.begin(), order.end());
  SortedCells cells;
  cells.rows.reserve(order.size());
  for (const auto& [key, row] : order) {
    if (cells.keys.empty() || cells.keys.back() != key) {
      cells.keys.push_back(key);
      cells.first.push_back(cells.rows.size());
    }
    cells.rows.push_back(row);
  }
  cells.first.push_back(cells.rows.size());
  return cells;
}

}  // namespace nfold::domain
