// Cell grid and full neighbour lists over selected local rows.
// SPDX-License-Identifier: BSD-3-Clause
//
// The order within a cell or a list may differ from run to run (atomics). The bits do not depend on
// it, since sums are of integers.
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/loops/exclusions.hpp"

#if defined(__AVX2__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

namespace nfold::kernels {

/// Number of cells that the list distance spans along an axis.
inline constexpr int cell_reach = 2;

/// Grid of cells. Along a periodic axis they divide the box. Along an open one they cover the
/// occupied range, and coordinates, which wrap, are taken relative to one residue's.
template <class Precision>
struct ListGrid {
  using Coordinate = typename Precision::Coordinate;
  Coordinate origin[3];
  double low[3];  // [nm] relative to origin
  double edge[3];
  double nm[3];  // [nm] per coordinate unit
  int cells[3];
  bool periodic[3];

  [[nodiscard]] NFOLD_FUNCTION double relative(int axis, Coordinate x) const {
    return Precision::to_nm(Precision::difference(x, origin[axis]), nm[axis]);
  }
  [[nodiscard]] NFOLD_FUNCTION int index(int axis, Coordinate x) const {
    if (periodic[axis]) {
      return static_cast<int>((static_cast<std::uint64_t>(Precision::fraction(x)) *
                               static_cast<std::uint64_t>(cells[axis])) >>
                              32U);
    }
    const double at = (relative(axis, x) - low[axis]) / edge[axis];
    return at > 0 ? (at < cells[axis] - 1 ? static_cast<int>(at) : cells[axis] - 1) : 0;
  }

  /// Range of cells along an axis that may hold neighbours of cell c: `count` from `first` on,
  /// wrapping.
  struct Reach {
    int first, count;
  };
  [[nodiscard]] NFOLD_FUNCTION Reach reach(int axis, int c) const {
    const int n = cells[axis];
    if (periodic[axis]) {
      if (n <= 2 * cell_reach + 1) return {0, n};
      return {c >= cell_reach ? c - cell_reach : c - cell_reach + n, 2 * cell_reach + 1};
    }
    const int from = c > cell_reach ? c - cell_reach : 0;
    const int to = c + cell_reach < n - 1 ? c + cell_reach : n - 1;
    return {from, to - from + 1};
  }
  /// Returns the least distance [nm] along an axis between points of cells a and b.
  [[nodiscard]] NFOLD_FUNCTION double gap(int axis, int a, int b) const {
    int apart = a > b ? a - b : b - a;
    if (periodic[axis] && cells[axis] - apart < apart) apart = cells[axis] - apart;
    return apart > 1 ? (apart - 1) * edge[axis] : 0;
  }
};

/// Finds the extent along one axis. Work item: one selected row.
template <class Precision>
struct ExtentAlong {
  using Bounds = Kokkos::MinMaxScalar<double>;
  ListGrid<Precision> grid;
  int axis;
  const int* row;  // (selected)
  const typename Precision::Coordinate* x;
  NFOLD_FUNCTION void operator()(int c, Bounds& found) const {
    const double at = grid.relative(axis, x[row[c]]);
    found.min_val = at < found.min_val ? at : found.min_val;
    found.max_val = at > found.max_val ? at : found.max_val;
  }
};

/// Computes the offset of each cell's rows: a scan over (cells + 1).
struct CellOffsets {
  const int* count;
  int* first;
  int cells;
  NFOLD_FUNCTION void operator()(int cell, int& sum, bool final) const {
    if (final) first[cell] = sum;
    if (cell < cells) sum += count[cell];
  }
};

/// Finds the cell of each selected row and counts the rows of each cell. Work item: one selected
/// row.
template <class Precision>
struct CountCells {
  ListGrid<Precision> grid;
  const int* row;  // (selected)
  Columns<const typename Precision::Coordinate> x;
  int* cell;   // (selected)
  int* count;  // (cells), zero initially
  NFOLD_FUNCTION void operator()(int c) const {
    const int i = row[c];
    const int own =
        (grid.index(2, x.z[i]) * grid.cells[1] + grid.index(1, x.y[i])) * grid.cells[0] +
        grid.index(0, x.x[i]);
    cell[c] = own;
    Kokkos::atomic_inc(&count[own]);
  }
};

/// Sorts the selected rows by cell, with their coordinates. Work item: one selected row.
template <class Precision>
struct FillCells {
  using Coordinate = typename Precision::Coordinate;
  const int* row;    // (selected)
  const int* cell;   // (selected)
  const int* first;  // (cells + 1)
  Columns<const Coordinate> x;
  const int* id;   // (rows) global ids
  int* filled;     // (cells), zero initially
  int* sorted;     // (selected) local rows
  int* sorted_id;  // (selected) their global ids
  Columns<Coordinate> sorted_x;
  NFOLD_FUNCTION void operator()(int c) const {
    const int own = cell[c];
    const int i = row[c];
    const int at = first[own] + Kokkos::atomic_fetch_add(&filled[own], 1);
    sorted[at] = i;
    sorted_id[at] = id[i];
    sorted_x.x[at] = x.x[i];
    sorted_x.y[at] = x.y[i];
    sorted_x.z[at] = x.z[i];
  }
};

/// Neighbour list that is being filled.
struct GrowingList {
  int* entry;
  int capacity;
  int found = 0, ghost = 0;

  NFOLD_FUNCTION void add(int row, int owned) {
    if (found < capacity) entry[static_cast<std::int64_t>(found) * list_group] = row;
    ghost |= static_cast<int>(row >= owned);
    ++found;
  }
};

#if defined(__AVX2__) && !defined(__CUDACC__)
/// For each mask of eight lanes, the indices of its set lanes in order, one byte each.
struct LaneOrder {
  std::uint64_t of[256];
  constexpr LaneOrder() : of{} {
    for (unsigned mask = 0; mask < 256; ++mask) {
      unsigned place = 0;
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((mask >> lane & 1U) == 0) continue;
        of[mask] |= static_cast<std::uint64_t>(lane) << (8 * place++);
      }
    }
  }
};
inline constexpr LaneOrder lane_order;

/// Appends those of eight rows whose bit is set, in one store if the capacity suffices for all
/// eight.
inline void add_rows(GrowingList& list, const int* rows, unsigned mask, int owned) {
  if (list.found + 8 > list.capacity) {
    for (unsigned lane = 0; lane < 8; ++lane) {
      if ((mask >> lane & 1U) != 0) list.add(rows[lane], owned);
    }
    return;
  }
  const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows));
  const __m256i order =
      _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(lane_order.of[mask])));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(list.entry + list.found),
                      _mm256_permutevar8x32_epi32(all, order));
  const __m256i ghosts = _mm256_cmpgt_epi32(all, _mm256_set1_epi32(owned - 1));
  const auto ghost_mask = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(ghosts)));
  list.ghost |= static_cast<int>((ghost_mask & mask) != 0);
  list.found += __builtin_popcount(mask);
}
#endif

/// Lists the neighbours of one selected owned row within the list distance that are not excluded.
/// Every neighbour is counted; those beyond a list's capacity are not stored (overflow). Work item:
/// one selected row.
template <class Precision>
struct ListNeighbours {
  using Real = typename Precision::Real;
  using Coordinate = typename Precision::Coordinate;

  ListGrid<Precision> grid;
  Scale<Real> scale;
  const int* row;   // (selected)
  const int* cell;  // (selected)
  Columns<const Coordinate> x;
  const int* first;   // (cells + 1)
  const int* sorted;  // local rows by cell
  Columns<const Coordinate> sorted_x;
  const int* sorted_id;  // global ids by cell
  Exclusions excluded;
  int owned;  // local rows below this are owned
  Real list_distance_squared;
  const std::int64_t* list_first;  // (groups + 1)
  int* count;                      // (selected)
  int* entry;
  int* has_ghost;  // (selected)
  int* overflow;   // 1 if a list exceeded its capacity

  NFOLD_FUNCTION void operator()(int c) const {
    const std::int64_t begin = list_first[c / list_group];
    const auto capacity = static_cast<int>(list_first[c / list_group + 1] - begin);
    int* const own = entry + begin * list_group + c % list_group;
    const int i = row[c];
    const int at = cell[c];
    const int cx = at % grid.cells[0];
    const int cy = at / grid.cells[0] % grid.cells[1];
    const int cz = at / (grid.cells[0] * grid.cells[1]);
    const auto rx = grid.reach(0, cx), ry = grid.reach(1, cy), rz = grid.reach(2, cz);
    // A range of cells that wraps is two ranges.
    const int straight = rx.first + rx.count <= grid.cells[0] ? rx.count : grid.cells[0] - rx.first;
    GrowingList list{own, capacity};
    const auto near_ids = excluded.span[i];
    for (int nz = 0; nz < rz.count; ++nz) {
      const int z = wrapped(rz.first + nz, grid.cells[2]);
      const double gap_z = grid.gap(2, cz, z);
      for (int ny = 0; ny < ry.count; ++ny) {
        const int y = wrapped(ry.first + ny, grid.cells[1]);
        const double gap_y = grid.gap(1, cy, y);
        if (gap_z * gap_z + gap_y * gap_y > static_cast<double>(list_distance_squared)) continue;
        const int line = (z * grid.cells[1] + y) * grid.cells[0];
        search(i, near_ids, first[line + rx.first], first[line + rx.first + straight], list);
        if (straight < rx.count) {
          search(i, near_ids, first[line], first[line + rx.count - straight], list);
        }
      }
    }
    if (list.found > capacity) *overflow = 1;
    count[c] = list.found;
    has_ghost[c] = list.ghost;
  }

 private:
  static NFOLD_FUNCTION int wrapped(int c, int cells) { return c < cells ? c : c - cells; }

  NFOLD_FUNCTION void search(int i, Exclusions::Span near_ids, int from, int to,
                             GrowingList& list) const {
    // Two vectors: the compiler unrolls shorter loops before it would vectorise them.
    constexpr int width = pair_lanes == 1 ? 1 : 2 * pair_lanes;
    const Coordinate mx = x.x[i], my = x.y[i], mz = x.z[i];
    const Scale<Real> nm = scale;
    const Real limit = list_distance_squared;
    const Coordinate *const px = sorted_x.x, *const py = sorted_x.y, *const pz = sorted_x.z;
    const int* const ids = sorted_id;
    const int least = near_ids.least, most = near_ids.most;
    for (int block = from; block < to; block += width) {
      Real r2[width];
      int near[width], doubtful[width];
      NFOLD_LANES
      for (int lane = 0; lane < width; ++lane) {
        const int k = block + lane;  // columns are padded, so no block has a remainder
        const Real dx = Precision::to_nm(Precision::difference(mx, px[k]), nm.x);
        const Real dy = Precision::to_nm(Precision::difference(my, py[k]), nm.y);
        const Real dz = Precision::to_nm(Precision::difference(mz, pz[k]), nm.z);
        r2[lane] = dx * dx + dy * dy + dz * dz;
      }
      NFOLD_LANES
      for (int lane = 0; lane < width; ++lane) {
        const int in_range = r2[lane] < limit ? -1 : 0;
        const int in_block = block + lane < to ? -1 : 0;
        const int not_below = ids[block + lane] >= least ? -1 : 0;
        const int not_above = ids[block + lane] <= most ? -1 : 0;
        near[lane] = in_range & in_block;
        doubtful[lane] = in_range & in_block & not_below & not_above;
      }
      for (int part = 0; part < width; part += pair_lanes) {
        append(i, block + part, near + part, doubtful + part, list);
      }
    }
  }

  NFOLD_FUNCTION bool is_refused(int i, int k) const {
    return sorted[k] == i || excluded.holds(i, sorted_id[k]);
  }

#if defined(__AVX2__) && !defined(__CUDACC__)
  void append(int i, int block, const int* near, const int* doubtful, GrowingList& list) const {
    auto mask = mask_of(near);
    if (mask == 0) return;
    for (unsigned doubt = mask_of(doubtful); doubt != 0; doubt &= doubt - 1) {
      const int lane = __builtin_ctz(doubt);
      if (is_refused(i, block + lane)) mask &= ~(1U << static_cast<unsigned>(lane));
    }
    add_rows(list, sorted + block, mask, owned);
  }
  static unsigned mask_of(const int* lanes_of_8) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes_of_8));
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(all)));
  }
#else
  NFOLD_FUNCTION void append(int i, int block, const int* near, const int* doubtful,
                             GrowingList& list) const {
    for (int lane = 0; lane < pair_lanes; ++lane) {
      if (near[lane] == 0) continue;
      if (doubtful[lane] != 0 && is_refused(i, block + lane)) continue;
      list.add(sorted[block + lane], owned);
    }
  }
#endif
};

}  // namespace nfold::kernels
