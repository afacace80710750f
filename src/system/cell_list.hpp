// Points sorted into cells, for fast search of points near a position.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "system/occupied_cells.hpp"

namespace nfold::system {

/// A cell list (Quentrec and Brot, J. Comput. Phys. 13, 430 (1973)) of fixed points.
class CellList {
 public:
  using Point = CellGrid::Point;
  struct SortedPoint {
    int index;   ///< index of the point in x_nm
    Point x_nm;  ///< position in the box
  };

  /// x_nm: unwrapped or not. Throws std::invalid_argument unless range_nm is a number > 0.
  CellList(const Box& box, std::span<const Point> x_nm, double range_nm);

  /// Calls visit(index) for each point within the range of x_nm, and for some others near it.
  template <class Visit>
  void for_each_near(const Point& x_nm, Visit&& visit) const {
    const CellGrid& grid = cells_.grid();
    cells_.for_each_near(grid.cell_of(grid.into_box(x_nm)), 1, [&](std::size_t c) {
      for (const SortedPoint& point : points_of(c)) visit(point.index);
    });
  }

  /// Number of cells with points.
  [[nodiscard]] std::size_t size() const { return cells_.size(); }
  /// Returns the points of a cell, by ascending index.
  [[nodiscard]] std::span<const SortedPoint> points_of(std::size_t c) const {
    return std::span(points_).subspan(first_[c], first_[c + 1] - first_[c]);
  }
  /// Calls visit(point) for each point of a cell and of its adjacent cells.
  template <class Visit>
  void for_each_near_cell(std::size_t c, Visit&& visit) const {
    cells_.for_each_near(cells_.cell(c), 1, [&](std::size_t near) {
      for (const SortedPoint& point : points_of(near)) visit(point);
    });
  }

  /// Calls visit(i, j) once for each pair of indices whose nearest images are closer than the
  /// range, in the order of the cells.
  template <class Visit>
  void for_each_pair(Visit&& visit) const {
    std::vector<std::size_t> later;
    for (std::size_t home = 0; home < cells_.size(); ++home) {
      later.clear();
      cells_.for_each_near(cells_.cell(home), 1, [&](std::size_t c) {
        if (c > home) later.push_back(c);
      });
      const auto mine = points_of(home);
      for (std::size_t a = 0; a < mine.size(); ++a) {
        for (std::size_t b = a + 1; b < mine.size(); ++b) visit_if_close(mine[a], mine[b], visit);
        for (const std::size_t c : later) {
          for (const SortedPoint& other : points_of(c)) visit_if_close(mine[a], other, visit);
        }
      }
    }
  }

 private:
  template <class Visit>
  void visit_if_close(const SortedPoint& a, const SortedPoint& b, Visit&& visit) const {
    const Box& box = cells_.grid().box();
    double r2 = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double d = box.nearest_nm(k, a.x_nm[k] - b.x_nm[k]);
      r2 += d * d;
    }
    if (r2 < range_nm_ * range_nm_) visit(a.index, b.index);
  }

  double range_nm_;
  OccupiedCells cells_;
  std::vector<SortedPoint> points_;  // sorted by cell, then by index
  std::vector<std::size_t> first_;   // (cells + 1) offsets into points_
};

}  // namespace nfold::system
