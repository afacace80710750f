// Shares of all residues in parts of space, from a density that is constant within coarse cells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "system/box.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// Cuboid [nm]. Along a periodic axis it may reach beyond the box, whose residues repeat there.
struct Cuboid {
  std::array<double, 3> low_nm{}, high_nm{};
  [[nodiscard]] double length_nm(std::size_t axis) const { return high_nm[axis] - low_nm[axis]; }
};

class DensityGrid {
 public:
  enum class Shape { cuboid, ball };
  /// Constant density in a region of this size, from the origin on. A ball is the largest ellipsoid
  /// of the size.
  DensityGrid(const system::Box& box, const std::array<double, 3>& size_nm, Shape shape);
  /// Density of these residues, in the coordinates of SpaceLayout.
  DensityGrid(const system::Box& box, std::span<const system::FixedPosition> positions);

  /// Region with all residues.
  [[nodiscard]] const Cuboid& extent() const { return extent_; }
  [[nodiscard]] const system::Box& box() const { return box_; }
  /// Returns the share of all residues in a cuboid, 0 to 1.
  [[nodiscard]] double share(const Cuboid& cuboid) const { return share(cuboid, extent_); }
  /// Returns the share of all residues that are in both; the second is within extent().
  [[nodiscard]] double share(const Cuboid& cuboid, const Cuboid& inner) const;
  /// Returns the coordinates [nm] along an axis below which these parts, 0 to 1, of the residues of
  /// a cuboid are. The cuboid must be within extent().
  template <std::size_t parts>
  [[nodiscard]] std::array<double, parts> quantiles(const Cuboid& cuboid, std::size_t axis,
                                                    const std::array<double, parts>& part) const {
    const auto sums = profile(cuboid, axis);
    std::array<double, parts> found{};
    for (std::size_t k = 0; k < parts; ++k) {
      const double target = part[k] * sums.back().share;
      std::size_t next = 1;
      while (next + 1 < sums.size() && sums[next].share < target) ++next;
      const auto &below = sums[next - 1], &above = sums[next];
      const double within =
          above.share > below.share ? (target - below.share) / (above.share - below.share) : 0.5;
      found[k] = below.nm + within * (above.nm - below.nm);
    }
    return found;
  }

 private:
  /// Share of a cuboid's residues below a coordinate.
  struct Sum {
    double nm, share;
  };
  /// Returns sums at both ends of the cuboid along the axis and at each border of cells between.
  [[nodiscard]] std::vector<Sum> profile(const Cuboid& cuboid, std::size_t axis) const;
  void choose_cells(double most_cells);
  [[nodiscard]] std::size_t place(std::size_t x, std::size_t y, std::size_t z) const {
    return x * strides_[0] + y * strides_[1] + z * strides_[2];
  }
  /// Replaces the amount of each cell, at the index of its upper corner, by the share below it.
  void sum_up();
  /// Coordinate in cells.
  struct GridPoint {
    std::size_t offset;  ///< offset of its cell in `below_`
    double part;         ///< part of the cell below it, 0 to 1
  };
  [[nodiscard]] GridPoint to_grid(std::size_t axis, double nm) const;
  /// Residues within a cuboid along two axes.
  class Column {
   public:
    /// axis: the third one.
    Column(const DensityGrid& grid, const Cuboid& cuboid, std::size_t axis);
    /// Returns their share below a coordinate along the third axis.
    [[nodiscard]] double share_below(double nm) const;
    /// Returns their share below the low border of a cell, given by its offset in `below_`.
    [[nodiscard]] double share_below_cell(std::size_t offset) const;

   private:
    struct Corner {
      std::size_t offset;
      double weight;
    };
    const DensityGrid& grid_;
    std::size_t axis_;
    std::array<Corner, 16> corners_;
  };
  [[nodiscard]] double share_within(const Cuboid& cuboid) const;

  system::Box box_;
  Cuboid extent_;
  std::array<std::size_t, 3> cells_{1, 1, 1};
  std::array<double, 3> cells_per_nm_{};
  std::array<std::size_t, 3> strides_{};  // strides of the axes in `below_`
  std::vector<double> below_;             // (corners of cells) share of the residues below
};

}  // namespace nfold::domain
