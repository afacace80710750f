// Cells and full neighbour lists over the local rows.
// SPDX-License-Identifier: BSD-3-Clause
//
// The order within a cell or a list may differ from run to run (atomics): sums are of integers, so
// no bit depends on it.
#pragma once

#include "kernels/fixed_point.hpp"
#include "kernels/portable.hpp"
#include "kernels/views.hpp"

namespace nfold::kernels {

/// A grid of cells over the occupied bounding box; what lies outside counts to the border cells.
/// Coordinates wrap, so all are taken relative to one residue's.
template <class Precision>
struct CellGrid {
  typename Precision::Coordinate origin[3];
  double low[3];        // [nm] relative to origin
  double inverse_edge;  // [1/nm]
  int cells[3];
  [[nodiscard]] NFOLD_FUNCTION double relative(int axis, typename Precision::Coordinate x) const {
    return Precision::template to_nm<double>(Precision::difference(x, origin[axis]));
  }
  [[nodiscard]] NFOLD_FUNCTION int index(int axis, double x) const {
    const double at = (x - low[axis]) * inverse_edge;
    const int cell = at > 0 ? (at < cells[axis] - 1 ? static_cast<int>(at) : cells[axis] - 1) : 0;
    return cell;
  }
};

/// Extent along one axis. Work item: one row.
template <class Precision>
struct ExtentAlong {
  using Bounds = Kokkos::MinMaxScalar<double>;
  CellGrid<Precision> grid;
  int axis;
  const typename Precision::Coordinate* x;
  NFOLD_FUNCTION void operator()(int row, Bounds& found) const {
    const double at = grid.relative(axis, x[row]);
    found.min_val = at < found.min_val ? at : found.min_val;
    found.max_val = at > found.max_val ? at : found.max_val;
  }
};

/// Where each cell's rows begin: a scan over (cells + 1).
struct CellOffsets {
  const int* count;
  int* first;
  int cells;
  NFOLD_FUNCTION void operator()(int cell, int& sum, bool final) const {
    if (final) first[cell] = sum;
    if (cell < cells) sum += count[cell];
  }
};

/// Cell of each row, and how many rows each cell has. Work item: one row.
template <class Precision>
struct CountCells {
  CellGrid<Precision> grid;
  Columns<const typename Precision::Coordinate> x;
  int* cell;   // (rows)
  int* count;  // (cells), zero before
  NFOLD_FUNCTION void operator()(int row) const {
    const int cx = grid.index(0, grid.relative(0, x.x[row]));
    const int cy = grid.index(1, grid.relative(1, x.y[row]));
    const int cz = grid.index(2, grid.relative(2, x.z[row]));
    const int own = (cz * grid.cells[1] + cy) * grid.cells[0] + cx;
    cell[row] = own;
    Kokkos::atomic_inc(&count[own]);
  }
};

/// Rows sorted by cell. Work item: one row.
struct FillCells {
  const int* cell;   // (rows)
  const int* first;  // (cells + 1)
  int* filled;       // (cells), zero before
  int* sorted;       // (rows)
  NFOLD_FUNCTION void operator()(int row) const {
    const int own = cell[row];
    sorted[first[own] + Kokkos::atomic_fetch_add(&filled[own], 1)] = row;
  }
};

/// Neighbours of one owned row within the list distance that are not excluded. Entries beyond the
/// count keep what an earlier list left there (a valid row; the pair loop gives it no effect).
/// Work item: one row of the padded owned rows.
template <class Precision>
struct ListNeighbours {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  CellGrid<Precision> grid;
  Columns<const Coordinate> x;
  const int* first;           // (cells + 1)
  const int* sorted;          // (rows)
  const int* cell;            // (rows)
  const int* excluded_first;  // (owned + 1)
  const int* excluded;        // global ids
  const int* residue;         // (rows) global ids
  int owned, capacity;
  Real list_distance_squared;
  int* count;          // (padded rows)
  int* entry;          // (groups, capacity, row_group)
  int* ghosts_listed;  // (groups) 1 if any entry is a ghost
  int* overflow;

  NFOLD_FUNCTION void operator()(int row) const {
    if (row >= owned) {
      count[row] = 0;
      return;
    }
    int* const own =
        entry + static_cast<std::int64_t>(row / row_group) * capacity * row_group + row % row_group;
    const int c = cell[row];
    const int cx = c % grid.cells[0];
    const int cy = c / grid.cells[0] % grid.cells[1];
    const int cz = c / (grid.cells[0] * grid.cells[1]);
    int found = 0;
    bool ghost = false;
    for (int z = cz > 0 ? cz - 1 : 0; z <= cz + 1 && z < grid.cells[2]; ++z) {
      for (int y = cy > 0 ? cy - 1 : 0; y <= cy + 1 && y < grid.cells[1]; ++y) {
        const int line = (z * grid.cells[1] + y) * grid.cells[0];
        const int from = first[line + (cx > 0 ? cx - 1 : 0)];
        const int to = first[line + (cx + 1 < grid.cells[0] ? cx + 1 : cx) + 1];
        for (int k = from; k < to; ++k) {
          const int j = sorted[k];
          const Real dx = Precision::template to_nm<Real>(Precision::difference(x.x[row], x.x[j]));
          const Real dy = Precision::template to_nm<Real>(Precision::difference(x.y[row], x.y[j]));
          const Real dz = Precision::template to_nm<Real>(Precision::difference(x.z[row], x.z[j]));
          if (!(dx * dx + dy * dy + dz * dz < list_distance_squared)) continue;
          if (j == row || is_excluded(row, j)) continue;
          if (found < capacity) own[static_cast<std::int64_t>(found) * row_group] = j;
          ghost = ghost || j >= owned;
          ++found;
        }
      }
    }
    if (found > capacity) Kokkos::atomic_max(overflow, found);
    const int kept = found < capacity ? found : capacity;
    count[row] = kept;
    if (ghost) ghosts_listed[row / row_group] = 1;
  }

 private:
  [[nodiscard]] NFOLD_FUNCTION bool is_excluded(int row, int other) const {
    const int id = residue[other];
    for (int k = excluded_first[row]; k < excluded_first[row + 1]; ++k) {
      if (excluded[k] == id) return true;
    }
    return false;
  }
};

}  // namespace nfold::kernels
