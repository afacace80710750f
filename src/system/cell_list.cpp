// Sorting of points into cells.
// SPDX-License-Identifier: BSD-3-Clause

#include "system/cell_list.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "system/corners.hpp"

namespace nfold::system {
namespace {

CellGrid make_grid(const Box& box, std::span<const CellGrid::Point> x_nm, double range_nm) {
  const auto [low, high] = find_corners(x_nm);
  return CellGrid::between(box, low, high, range_nm);
}

}  // namespace

CellList::CellList(const Box& box, std::span<const Point> x_nm, double range_nm)
    : range_nm_(range_nm), cells_(make_grid(box, x_nm, range_nm), {}) {
  const CellGrid grid = cells_.grid();
  std::vector<std::pair<std::uint64_t, int>> order;
  order.reserve(x_nm.size());
  for (const Point& x : x_nm) {
    order.emplace_back(CellGrid::key_of(grid.cell_of(grid.into_box(x))),
                       static_cast<int>(order.size()));
  }
  std::ranges::sort(order);
  std::vector<std::uint64_t> keys;
  points_.reserve(order.size());
  for (const auto& [key, index] : order) {
    if (keys.empty() || keys.back() != key) {
      keys.push_back(key);
      first_.push_back(points_.size());
    }
    points_.push_back({index, grid.into_box(x_nm[static_cast<std::size_t>(index)])});
  }
  first_.push_back(points_.size());
  cells_ = OccupiedCells(grid, std::move(keys));
}

}  // namespace nfold::system
