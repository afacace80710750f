// Points sorted into cubic cells, so that those near a point are found without looking at all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "structure/point.hpp"

namespace nfold::structure {

/// Cost grows with the number of points, whatever the extent. Cells of at least `cutoff_nm`.
class CellGrid {
 public:
  CellGrid(const std::vector<Point>& points, double cutoff_nm)
      : cell_nm_(std::max(cutoff_nm, smallest_cell_nm)) {
    std::vector<std::pair<std::int64_t, int>> order(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      order[i] = {key(index(points[i][0]), index(points[i][1]), index(points[i][2])),
                  static_cast<int>(i)};
    }
    std::sort(order.begin(), order.end());
    sorted_.reserve(order.size());
    for (const auto& [cell, i] : order) {
      auto& range =
          cells_.try_emplace(cell, std::pair{static_cast<int>(sorted_.size()), 0}).first->second;
      sorted_.push_back(i);
      range.second = static_cast<int>(sorted_.size());
    }
  }

  /// Calls visit(j) for every point in the cell of `point` and the 26 around it, in a fixed order.
  template <typename Visit>
  void for_each_near(const Point& point, Visit&& visit) const {
    const std::int64_t x = index(point[0]), y = index(point[1]), z = index(point[2]);
    for (std::int64_t dx = -1; dx <= 1; ++dx) {
      for (std::int64_t dy = -1; dy <= 1; ++dy) {
        for (std::int64_t dz = -1; dz <= 1; ++dz) {
          const auto cell = cells_.find(key(x + dx, y + dy, z + dz));
          if (cell == cells_.end()) continue;
          for (int i = cell->second.first; i < cell->second.second; ++i) {
            visit(sorted_[static_cast<std::size_t>(i)]);
          }
        }
      }
    }
  }

 private:
  // With coordinates within 1e5 nm an index fits in 20 bits and a key in 63.
  static constexpr double smallest_cell_nm = 0.2;
  static constexpr std::int64_t offset = 1 << 20;

  [[nodiscard]] std::int64_t index(double x) const {
    return static_cast<std::int64_t>(std::floor(x / cell_nm_));
  }
  static std::int64_t key(std::int64_t x, std::int64_t y, std::int64_t z) {
    return ((x + offset) << 42) + ((y + offset) << 21) + (z + offset);
  }

  double cell_nm_;
  std::vector<int> sorted_;                                      // points, cell by cell
  std::unordered_map<std::int64_t, std::pair<int, int>> cells_;  // key to a range of sorted_
};

}  // namespace nfold::structure
