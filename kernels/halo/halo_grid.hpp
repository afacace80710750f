// Cell grid on which ranks mark where they own residues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/arithmetic/views.hpp"

namespace nfold::kernels {

/// Periodic grid of cells. Along a periodic axis the cells divide the box. Along an open axis they
/// are numbered modulo `cells`. Distant positions may share a cell number, which can add a ghost
/// but never omit one. Residues within the range of the grid are at most `reach` cells apart
/// (modulo `cells`), since an edge is at least range / reach. Bitmaps of the grid are rows of whole
/// words along fast_axis.
struct HaloGrid {
  static constexpr int turn_bits = 44;  // bits of a position per turn: see system::Box
  static constexpr int word_bits = 32;

  int cells[3];           // along x, y, z
  std::uint64_t edge[3];  // cell edge [counts] along an open axis; 0 along a periodic one
  int slow_axis, middle_axis, fast_axis;  // 0, 1 or 2 for x, y or z
  int reach;
  int row_words;

  /// Indices of a cell along the slow, middle and fast axis.
  struct Cell {
    int slow, middle, fast;
  };

  NFOLD_FUNCTION int cell_along(int axis, std::int64_t position) const {
    const auto count = static_cast<std::uint64_t>(cells[axis]);
    if (edge[axis] > 0) {
      const auto up = static_cast<std::uint64_t>(position) ^ (std::uint64_t{1} << 63U);
      return static_cast<int>(up / edge[axis] % count);
    }
    constexpr std::uint64_t turn = (std::uint64_t{1} << turn_bits) - 1;
    // Fewer than 2^20 cells of 2^44 counts: the product is exact.
    return static_cast<int>(((static_cast<std::uint64_t>(position) & turn) * count) >> turn_bits);
  }
  NFOLD_FUNCTION Cell cell_of(Columns<const std::int64_t> position, int row) const {
    const int x = cell_along(0, position.x[row]);
    const int y = cell_along(1, position.y[row]);
    const int z = cell_along(2, position.z[row]);
    const auto along = [=](int axis) { return axis == 0 ? x : axis == 1 ? y : z; };
    return {along(slow_axis), along(middle_axis), along(fast_axis)};
  }
  /// Number of columns of cells along fast_axis.
  [[nodiscard]] NFOLD_FUNCTION int columns() const { return cells[slow_axis] * cells[middle_axis]; }
  [[nodiscard]] NFOLD_FUNCTION int words() const { return columns() * row_words; }
  /// Number of layers along the three axes; MarkLayers marks those with a marked cell.
  [[nodiscard]] NFOLD_FUNCTION int layer_count() const { return cells[0] + cells[1] + cells[2]; }
  /// Words of MarkLayers: one per layer along slow_axis and middle_axis, then one bit per layer
  /// along fast_axis.
  [[nodiscard]] NFOLD_FUNCTION int layer_words() const {
    return cells[slow_axis] + cells[middle_axis] + row_words;
  }
};

/// Some layers along an axis (words along fast_axis), as offsets in a table. Empty if it has none.
struct HaloLayers {
  int count = 0;
  int first = 0;    // table[first + k]: the k-th layer, ascending
  int inverse = 0;  // table[inverse + layer]: its k, or -1
  int mask = 0;     // along fast_axis: table[mask + k]: bits of the k-th word
};

/// Part of a bitmap that a peer needs: the product of its layers along the three axes.
struct HaloRegion {
  HaloLayers slow, middle, fast;
  int offset = 0;  // offset of its first word in a buffer of regions

  [[nodiscard]] NFOLD_FUNCTION int words() const { return slow.count * middle.count * fast.count; }
  /// Returns the buffer word that holds a cell; -1 if the region has no such cell.
  [[nodiscard]] NFOLD_FUNCTION int word_of(const int* table, const HaloGrid::Cell& cell) const {
    const int s = slow.count > 0 ? table[slow.inverse + cell.slow] : -1;
    if (s < 0) return -1;
    const int m = table[middle.inverse + cell.middle];
    const int f = table[fast.inverse + cell.fast / HaloGrid::word_bits];
    return m < 0 || f < 0 ? -1 : offset + (s * middle.count + m) * fast.count + f;
  }
  /// Returns the first cell of a buffer word.
  [[nodiscard]] NFOLD_FUNCTION HaloGrid::Cell cell_of(const int* table, int word) const {
    const int row = (word - offset) / fast.count;
    return {table[slow.first + row / middle.count], table[middle.first + row % middle.count],
            HaloGrid::word_bits * table[fast.first + (word - offset) % fast.count]};
  }
};

/// Regions of one grid's bitmaps that two ranks exchange.
struct HaloRegionPair {
  HaloRegion sent, received;
  int grid;  // index of the grid
};

/// Sets the bits of the cells that contain residues. Work item: one member.
struct MarkCells {
  HaloGrid grid;
  Columns<const std::int64_t> position;
  const int* member;    // (items) rows; null: all rows
  std::uint32_t* word;  // (grid.words()) bits

  NFOLD_FUNCTION void operator()(int item) const {
    const auto cell = grid.cell_of(position, member == nullptr ? item : member[item]);
    const int column = cell.slow * grid.cells[grid.middle_axis] + cell.middle;
    std::uint32_t* const target = &word[column * grid.row_words + cell.fast / HaloGrid::word_bits];
    const std::uint32_t bit = 1U << static_cast<unsigned>(cell.fast % HaloGrid::word_bits);
    // Most residues find their cell marked already, and a read is cheap.
    if ((Kokkos::atomic_load(target) & bit) == 0) Kokkos::atomic_or(target, bit);
  }
};

/// Marks the layers along each axis that contain a marked cell. It runs over columns: millions of
/// residues would contend for a few hundred words. Work item: a column.
struct MarkLayers {
  HaloGrid grid;
  const std::uint32_t* word;  // (grid.words())
  std::uint32_t* layer_word;  // (grid.layer_words())

  NFOLD_FUNCTION void operator()(int column) const {
    const int middle_offset = grid.cells[grid.slow_axis];
    const int fast_offset = middle_offset + grid.cells[grid.middle_axis];
    std::uint32_t any = 0;
    for (int k = 0; k < grid.row_words; ++k) {
      const std::uint32_t bits = word[column * grid.row_words + k];
      mark(layer_word + fast_offset + k, bits);
      any |= bits;
    }
    if (any == 0) return;
    mark(layer_word + column / grid.cells[grid.middle_axis], 1);
    mark(layer_word + middle_offset + column % grid.cells[grid.middle_axis], 1);
  }

 private:
  static NFOLD_FUNCTION void mark(std::uint32_t* at, std::uint32_t bits) {
    if ((bits & ~Kokkos::atomic_load(at)) != 0) Kokkos::atomic_or(at, bits);
  }
};

template <class T>
struct ClearWords {
  T* word;
  NFOLD_FUNCTION void operator()(int item) const { word[item] = 0; }
};

/// Extent of the rows along open axes: low corner, then high corner.
struct FindExtent {
  Columns<const std::int64_t> position;

  NFOLD_FUNCTION void operator()(int row, std::int64_t& low_x, std::int64_t& low_y,
                                 std::int64_t& low_z, std::int64_t& high_x, std::int64_t& high_y,
                                 std::int64_t& high_z) const {
    const std::int64_t x = position.x[row], y = position.y[row], z = position.z[row];
    low_x = x < low_x ? x : low_x;
    low_y = y < low_y ? y : low_y;
    low_z = z < low_z ? z : low_z;
    high_x = x > high_x ? x : high_x;
    high_y = y > high_y ? y : high_y;
    high_z = z > high_z ? z : high_z;
  }
};

}  // namespace nfold::kernels
