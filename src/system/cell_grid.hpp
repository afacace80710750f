// Grid of cells: the cell of a point, and the cells near it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "system/box.hpp"

namespace nfold::system {

/// Grid of rectangular cells at least as wide as requested. Along a periodic axis the cells divide
/// the box evenly; along an open axis their number is unlimited.
class CellGrid {
 public:
  using Point = std::array<double, 3>;  ///< [nm]
  using Cell = std::array<std::int64_t, 3>;

  /// Cells along an open axis are counted from low_nm. Throws std::invalid_argument unless width_nm
  /// is a number > 0.
  CellGrid(const Box& box, double width_nm, const Point& low_nm = {0, 0, 0});
  /// Returns a grid counted from the low corner. Two points that are width_nm apart are in the same
  /// cell or in adjacent ones, also after rounding. Along an open axis cells are wide enough that
  /// each cell up to the high corner has a unique key.
  [[nodiscard]] static CellGrid between(const Box& box, const Point& low_nm, const Point& high_nm,
                                        double width_nm);

  [[nodiscard]] const Box& box() const { return box_; }
  /// Number of cells along a periodic axis; 0 along an open one.
  [[nodiscard]] std::int64_t cells_along(std::size_t axis) const { return cells_[axis]; }
  [[nodiscard]] double width_nm(std::size_t axis) const { return 1 / cells_per_nm_[axis]; }
  /// Returns the image that lies in the box along periodic axes.
  [[nodiscard]] Point into_box(const Point& x_nm) const {
    Point inside = x_nm;
    for (std::size_t k = 0; k < 3; ++k) {
      const double length = box_.length_nm[k];
      if (length > 0) inside[k] -= length * std::floor(x_nm[k] / length);
    }
    return inside;
  }
  /// Returns the cell of a point in the box.
  [[nodiscard]] Cell cell_of(const Point& inside_nm) const {
    Cell cell;
    for (std::size_t k = 0; k < 3; ++k) {
      cell[k] =
          static_cast<std::int64_t>(std::floor((inside_nm[k] - low_nm_[k]) * cells_per_nm_[k]));
      // Rounding may put a point onto the upper border of the box.
      if (cells_[k] > 0) cell[k] = std::clamp<std::int64_t>(cell[k], 0, cells_[k] - 1);
    }
    return cell;
  }
  /// Wraps the index of an adjacent cell along a periodic axis. `index` is at most one turn
  /// outside.
  [[nodiscard]] std::int64_t wrap_index(std::size_t axis, std::int64_t index) const {
    const std::int64_t cells = cells_[axis];
    if (cells == 0 || (index >= 0 && index < cells)) return index;
    return index < 0 ? index + cells : index - cells;
  }
  /// Returns a key of 63 bits, ascending by x, then y, then z. Cells 2^21 apart along an open axis
  /// share a key.
  [[nodiscard]] static std::uint64_t key_of(const Cell& cell) {
    std::uint64_t key = 0;
    for (const std::int64_t index : cell) {
      key = (key << key_bits) | (static_cast<std::uint64_t>(index) & key_mask);
    }
    return key;
  }
  /// Returns the cell of a key, for indices from 0 to key_mask.
  [[nodiscard]] static Cell key_to_cell(std::uint64_t key) {
    return {static_cast<std::int64_t>(key >> (2 * key_bits)),
            static_cast<std::int64_t>((key >> key_bits) & key_mask),
            static_cast<std::int64_t>(key & key_mask)};
  }

  static constexpr unsigned key_bits = 21;  ///< per axis
  static constexpr std::uint64_t key_mask = (std::uint64_t{1} << key_bits) - 1;

 private:
  Box box_;
  Point low_nm_, cells_per_nm_{};
  Cell cells_{0, 0, 0};
};

}  // namespace nfold::system
