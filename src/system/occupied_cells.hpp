// Occupied cells of a grid, and search among them for cells near a cell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "system/cell_grid.hpp"

namespace nfold::system {

/// A set of cells. Only these take memory, so a droplet in a wide box is cheap.
class OccupiedCells {
 public:
  using Cell = CellGrid::Cell;

  /// keys: cells of the grid (CellGrid::between), ascending, unique.
  OccupiedCells(const CellGrid& grid, std::vector<std::uint64_t> keys)
      : grid_(grid), keys_(std::move(keys)) {}

  [[nodiscard]] const CellGrid& grid() const { return grid_; }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  /// Returns cell c, ascending by x, then y, then z.
  [[nodiscard]] Cell cell(std::size_t c) const { return CellGrid::key_to_cell(keys_[c]); }

  /// Calls visit(c) once for each of these cells that is at most `reach` from `cell` along each
  /// axis, across periodic borders too, always in the same order.
  template <class Visit>
  void for_each_near(const Cell& cell, std::int64_t reach, Visit&& visit) const {
    (void)any_near(cell, reach, [&visit](std::size_t c) {
      visit(c);
      return false;
    });
  }
  /// Calls predicate(c) for the same cells until it returns true. Returns true if any call did.
  template <class Predicate>
  [[nodiscard]] bool any_near(const Cell& cell, std::int64_t reach,
                              const Predicate& predicate) const {
    const Runs along_z = runs_near(2, cell[2], reach);
    return any_index(runs_near(0, cell[0], reach), [&](std::int64_t x) {
      return any_index(runs_near(1, cell[1], reach), [&](std::int64_t y) {
        // Keys of cells in a run along z are adjacent.
        for (int r = 0; r < along_z.count; ++r) {
          const auto [first, last] = along_z.run[static_cast<std::size_t>(r)];
          const auto last_key = CellGrid::key_of({x, y, last});
          auto at = static_cast<std::size_t>(
              std::ranges::lower_bound(keys_, CellGrid::key_of({x, y, first})) - keys_.begin());
          for (; at < keys_.size() && keys_[at] <= last_key; ++at) {
            if (predicate(at)) return true;
          }
        }
        return false;
      });
    });
  }

 private:
  /// Ranges of distinct indices along an axis.
  struct Runs {
    int count = 0;
    std::array<std::array<std::int64_t, 2>, 2> run{};  // first and last
  };
  [[nodiscard]] Runs runs_near(std::size_t axis, std::int64_t index, std::int64_t reach) const;
  template <class Predicate>
  static bool any_index(const Runs& runs, const Predicate& predicate) {
    for (int r = 0; r < runs.count; ++r) {
      const auto [first, last] = runs.run[static_cast<std::size_t>(r)];
      for (std::int64_t index = first; index <= last; ++index) {
        if (predicate(index)) return true;
      }
    }
    return false;
  }

  CellGrid grid_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace nfold::system
