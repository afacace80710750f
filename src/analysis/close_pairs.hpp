// All pairs of points closer than a range, nearest images taken, by cells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/superposition.hpp"
#include "system/box.hpp"

namespace nfold::analysis {

/// Points sorted into cells that are wider than the range. Only cells with points in them take
/// memory, so a droplet in a wide box is no trouble.
class ClosePairs {
 public:
  /// x_nm: unwrapped or not. range_nm > 0.
  ClosePairs(const system::Box& box, std::span<const Point> x_nm, double range_nm);

  /// Calls visit(i, j) once for each pair of indices whose nearest images are closer than the
  /// range; the order is that of the cells.
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::vector<std::size_t> neighbours;
    for (std::size_t home = 0; home + 1 < cells_.size(); ++home) {
      find_later_neighbours(home, neighbours);
      for (std::size_t a = cells_[home].first; a < cells_[home + 1].first; ++a) {
        for (std::size_t b = a + 1; b < cells_[home + 1].first; ++b) visit_if_close(a, b, visit);
        for (const auto cell : neighbours) {
          for (std::size_t b = cells_[cell].first; b < cells_[cell + 1].first; ++b) {
            visit_if_close(a, b, visit);
          }
        }
      }
    }
  }

 private:
  struct Cell {
    std::uint64_t key = 0;
    std::size_t first = 0;  // of its points in points_
  };
  struct SortedPoint {
    std::uint64_t key;
    int index;
    Point x_nm;  // within the box along periodic axes
  };
  void choose_cells(std::span<const Point> x_nm);
  [[nodiscard]] Point into_box(const Point& x_nm) const;
  [[nodiscard]] std::uint64_t key_of(const std::array<std::int64_t, 3>& cell) const;
  [[nodiscard]] std::array<std::int64_t, 3> cell_of(const Point& x_nm) const;
  // Cells with points, after `home` in order, that touch it or an image of it.
  void find_later_neighbours(std::size_t home, std::vector<std::size_t>& neighbours) const;

  template <class Visit>
  void visit_if_close(std::size_t a, std::size_t b, Visit&& visit) const {
    double r2 = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = box_.nearest_nm(k, points_[a].x_nm[k] - points_[b].x_nm[k]);
      r2 += d * d;
    }
    if (r2 < range_nm_ * range_nm_) visit(points_[a].index, points_[b].index);
  }

  system::Box box_;
  double range_nm_;
  Point low_nm_{}, width_nm_{};  // of the region that the cells divide
  std::array<std::int64_t, 3> cells_along_{1, 1, 1};
  std::vector<SortedPoint> points_;
  std::vector<Cell> cells_;  // those with points, by key; one more closes the last
};

}  // namespace nfold::analysis
