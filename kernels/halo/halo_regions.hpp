// Search for the own cells that are near a peer's cells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernels/halo/halo_grid.hpp"

namespace nfold::kernels {

/// All regions, consecutive in buffers of words: by peer, then by grid.
struct HaloRegions {
  static constexpr int grids_at_most = 2;
  HaloGrid grid[grids_at_most];
  const HaloRegionPair* pair;  // (peers * grids), ascending by their offsets in the buffers
  int count;
  const int* table;  // table of the regions' layers

  /// Returns the region of a word of the send buffer.
  [[nodiscard]] NFOLD_FUNCTION const HaloRegionPair& sending(int word) const {
    int low = 0, high = count;
    while (low + 1 < high) {
      const int half = (low + high) / 2;
      (pair[half].sent.offset <= word ? low : high) = half;
    }
    return pair[low];
  }
};

/// Copies the bits of the regions to send. Work item: one word.
struct PackRegions {
  HaloRegions regions;
  const std::uint32_t* bitmap[HaloRegions::grids_at_most];
  std::uint32_t* sent;

  NFOLD_FUNCTION void operator()(int item) const {
    const auto& pair = regions.sending(item);
    const HaloGrid& grid = regions.grid[pair.grid];
    const auto cell = pair.sent.cell_of(regions.table, item);
    const int column = cell.slow * grid.cells[grid.middle_axis] + cell.middle;
    const int fast = (item - pair.sent.offset) % pair.sent.fast.count;
    sent[item] = bitmap[pair.grid][column * grid.row_words + cell.fast / HaloGrid::word_bits] &
                 static_cast<std::uint32_t>(regions.table[pair.sent.fast.mask + fast]);
  }
};

/// Finds the sent cells that are near a cell of the peer. Work item: one word.
struct FindNearCells {
  HaloRegions regions;
  const std::uint32_t* sent;
  const std::uint32_t* received;
  std::uint32_t* near;  // (words sent)

  NFOLD_FUNCTION void operator()(int item) const {
    const std::uint32_t own = sent[item];
    near[item] = 0;
    if (own == 0) return;
    const auto& pair = regions.sending(item);
    const HaloGrid& grid = regions.grid[pair.grid];
    const auto cell = pair.sent.cell_of(regions.table, item);
    std::uint32_t found = 0;
    // From the nearest rows outwards: in dense systems the first few find all cells.
    for (int a = 0; a <= 2 * grid.reach && found != own; ++a) {
      const int ds = outwards(a);
      const int slow = wrapped(cell.slow + ds, grid.cells[grid.slow_axis]);
      const int s = regions.table[pair.received.slow.inverse + slow];
      for (int b = 0; s >= 0 && b <= 2 * grid.reach && found != own; ++b) {
        const int dm = outwards(b);
        found |= own & near_row_of(grid, pair.received, s, cell.middle + dm, cell.fast,
                                   grid.reach * grid.reach - gap(ds) - gap(dm));
      }
    }
    near[item] = found;
  }

 private:
  /// Returns 0, 1, -1, 2, -2, ...
  static NFOLD_FUNCTION int outwards(int k) { return k % 2 == 0 ? -k / 2 : (k + 1) / 2; }
  static NFOLD_FUNCTION int wrapped(int index, int circle) {
    while (index < 0) index += circle;
    while (index >= circle) index -= circle;
    return index;
  }
  /// Returns the least squared distance [edges^2] of cells `cells` apart along an axis.
  static NFOLD_FUNCTION int gap(int cells) {
    const int between = cells > 0 ? cells - 1 : cells < 0 ? -cells - 1 : 0;
    return between * between;
  }
  /// Returns the cells of the word from `first` on with a squared distance along the row [edges^2]
  /// below `limit` to a cell marked in it.
  NFOLD_FUNCTION std::uint32_t near_row_of(const HaloGrid& grid, const HaloRegion& region, int slow,
                                           int middle_cell, int first, int limit) const {
    if (limit <= 0) return 0;
    const int middle =
        regions.table[region.middle.inverse + wrapped(middle_cell, grid.cells[grid.middle_axis])];
    if (middle < 0) return 0;
    const int row = region.offset + (slow * region.middle.count + middle) * region.fast.count;
    const auto around = bits_around(grid, region.fast, received + row, first);
    if (around == 0) return 0;
    std::uint32_t found = 0;
    for (int df = -grid.reach; df <= grid.reach; ++df) {
      const auto shift = static_cast<unsigned>(df + grid.reach);
      if (gap(df) < limit) found |= static_cast<std::uint32_t>(around >> shift);
    }
    return found;
  }
  /// Returns the marks around a word of cells: bit k is cell first - reach + k of a row of the
  /// region.
  NFOLD_FUNCTION std::uint64_t bits_around(const HaloGrid& grid, const HaloLayers& words,
                                           const std::uint32_t* row, int first) const {
    const int circle = grid.cells[grid.fast_axis], wanted = HaloGrid::word_bits + 2 * grid.reach;
    std::uint64_t bits = 0;
    int cell = wrapped(first - grid.reach, circle);
    for (int got = 0; got < wanted;) {
      const int skip = cell % HaloGrid::word_bits;
      const int in_word = HaloGrid::word_bits - skip, in_circle = circle - cell;
      const int part = in_word < in_circle ? in_word : in_circle;
      const int at = regions.table[words.inverse + cell / HaloGrid::word_bits];
      // No bit is set beyond the last cell of the axis.
      if (at >= 0)
        bits |= static_cast<std::uint64_t>(row[at] >> static_cast<unsigned>(skip))
                << static_cast<unsigned>(got);
      got += part;
      cell = part == in_circle ? 0 : cell + part;
    }
    return bits;
  }
};

/// Sets, for each peer, the bits of the rows in a cell near one of its cells. Work item: one member
/// of the grid.
struct FindNearRows {
  HaloRegions regions;
  int grid, grids, peers;
  Columns<const std::int64_t> position;
  const int* member;          // (items) rows; null: all rows
  const std::uint32_t* near;  // (words sent)
  int row_words;              // words of bits per peer
  std::uint32_t* near_row;    // (peers, row_words)

  NFOLD_FUNCTION void operator()(int item) const {
    const int row = member == nullptr ? item : member[item];
    const auto cell = regions.grid[grid].cell_of(position, row);
    const auto bit = static_cast<unsigned>(cell.fast % HaloGrid::word_bits);
    for (int peer = 0; peer < peers; ++peer) {
      const HaloRegion& region = regions.pair[peer * grids + grid].sent;
      const int word = region.word_of(regions.table, cell);
      if (word < 0 || (near[word] >> bit & 1U) == 0) continue;
      Kokkos::atomic_or(&near_row[peer * row_words + row / HaloGrid::word_bits],
                        1U << static_cast<unsigned>(row % HaloGrid::word_bits));
    }
  }
};

}  // namespace nfold::kernels
