// Order of residues along a space-filling curve: cells, counts and slots.
// SPDX-License-Identifier: BSD-3-Clause
//
// A slot is an index in this order. Owned rows come first, ghosts after them. Records of owned rows
// are at their slots; records of ghosts stay where other ranks write them, at slots fixed when the
// halo was set up. The order within a cell may differ from run to run (atomics). The bits do not
// depend on it, since sums are of integers.
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/cuda/team_lists.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// Grid of 2^bits cells along each axis: of the box if periodic, of the occupied range if open.
struct SpatialGrid {
  /// Occupied range of an open axis: coordinates of all members are origin + least .. origin +
  /// most.
  struct OccupiedRange {
    std::int32_t origin, least, most;
  };
  int bits[3];
  bool periodic[3];
  float nm[3];                    // per unit of an int32 difference
  const OccupiedRange* occupied;  // (3), on the device
  const int* rank;                // (cells) index of each cell on the curve
  int coarse_log2;  // 2^coarse_log2 cells along each axis are one coarse cell, contiguous on the
                    // curve
  const int* coarse_rank;  // (coarse cells) index of each on its own curve
  int first_key;           // first key of these cells in the array of counts
  bool ghosts_apart;  // ghosts have keys of their own behind the owned ones: one per coarse cell,
                      // then one for members that are not present

  [[nodiscard]] NFOLD_FUNCTION int cells() const { return 1 << (bits[0] + bits[1] + bits[2]); }
  [[nodiscard]] NFOLD_FUNCTION int coarse_cells() const { return cells() >> (3 * coarse_log2); }
  [[nodiscard]] NFOLD_FUNCTION int keys() const {
    return ghosts_apart ? cells() + coarse_cells() + 1 : cells();
  }

  /// Returns the cell along an open axis, from an offset to the least coordinate.
  [[nodiscard]] NFOLD_FUNCTION int cell_of_offset(int axis, std::int64_t offset) const {
    const float width = static_cast<float>(static_cast<std::int64_t>(occupied[axis].most) -
                                           occupied[axis].least + 1);
    const int n = 1 << bits[axis];
    const int cell = static_cast<int>(static_cast<float>(offset) * (static_cast<float>(n) / width));
    return offset < 0 ? 0 : cell < n ? cell : n - 1;
  }
  [[nodiscard]] NFOLD_FUNCTION int cell_of(int axis, std::int32_t x) const {
    if (bits[axis] == 0) return 0;
    const auto place = static_cast<std::uint32_t>(x);
    if (periodic[axis]) return static_cast<int>(place >> (32 - bits[axis]));
    const OccupiedRange s = occupied[axis];
    const auto relative = static_cast<std::int32_t>(place - static_cast<std::uint32_t>(s.origin));
    return cell_of_offset(axis, static_cast<std::int64_t>(relative) - s.least);
  }
  [[nodiscard]] NFOLD_FUNCTION int plain(int x, int y, int z) const {
    return (((z << bits[1]) + y) << bits[0]) + x;
  }
  [[nodiscard]] NFOLD_FUNCTION int coarse_bits(int axis) const { return bits[axis] - coarse_log2; }
  /// Returns the index of a coarse cell on its curve.
  [[nodiscard]] NFOLD_FUNCTION int coarse_curve_index(int x, int y, int z) const {
    return coarse_rank[(((z << coarse_bits(1)) + y) << coarse_bits(0)) + x];
  }
  /// Returns the first key of its owned members, of coarse_keys() consecutive ones.
  [[nodiscard]] NFOLD_FUNCTION int first_key_of_coarse(int place) const {
    return first_key + (place << (3 * coarse_log2));
  }
  [[nodiscard]] NFOLD_FUNCTION int coarse_keys() const { return 1 << (3 * coarse_log2); }
  /// Returns the key of its ghosts. Ghosts are searched by coarse cells only: fewer counts to scan.
  [[nodiscard]] NFOLD_FUNCTION int ghost_key_of_coarse(int place) const {
    return first_key + cells() + place;
  }
  [[nodiscard]] NFOLD_FUNCTION int key_of(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return first_key + rank[plain(cell_of(0, x), cell_of(1, y), cell_of(2, z))];
  }
};

/// Computes the index of a cell on a Hilbert curve (Skilling, AIP Conf. Proc. 707, 381 (2004))
/// through cubes as wide as the shortest axis; the cubes follow each other along the longer axes.
/// The eight cells of a coarser cell are contiguous, in the order of the coarser curve. Work item:
/// one cell.
struct IndexCellsAlongCurve {
  int bits[3];
  int* rank;  // (cells)

  NFOLD_FUNCTION void operator()(int cell) const {
    const int mask[3] = {(1 << bits[0]) - 1, (1 << bits[1]) - 1, (1 << bits[2]) - 1};
    unsigned x[3] = {static_cast<unsigned>(cell & mask[0]),
                     static_cast<unsigned>((cell >> bits[0]) & mask[1]),
                     static_cast<unsigned>((cell >> (bits[0] + bits[1])) & mask[2])};
    int cube = bits[0] < bits[1] ? bits[0] : bits[1];
    cube = bits[2] < cube ? bits[2] : cube;
    unsigned block = 0;
    for (int axis = 2; axis >= 0; --axis) {
      block = (block << (bits[axis] - cube)) + (x[axis] >> cube);
      x[axis] &= (1U << cube) - 1;
    }
    rank[cell] = static_cast<int>((block << (3 * cube)) + along_curve(x, cube));
  }

 private:
  static NFOLD_FUNCTION unsigned along_curve(unsigned* x, int bits_each) {
    if (bits_each == 0) return 0;
    for (unsigned q = 1U << (bits_each - 1); q > 1; q >>= 1U) {
      const unsigned p = q - 1;
      for (int axis = 0; axis < 3; ++axis) {
        if ((x[axis] & q) != 0) {
          x[0] ^= p;
        } else {
          const unsigned t = (x[0] ^ x[axis]) & p;
          x[0] ^= t;
          x[axis] ^= t;
        }
      }
    }
    x[1] ^= x[0];
    x[2] ^= x[1];
    unsigned t = 0;
    for (unsigned q = 1U << (bits_each - 1); q > 1; q >>= 1U) {
      if ((x[2] & q) != 0) t ^= q - 1;
    }
    unsigned place = 0;
    for (int bit = bits_each - 1; bit >= 0; --bit) {
      for (int axis = 0; axis < 3; ++axis) place = (place << 1U) | (((x[axis] ^ t) >> bit) & 1U);
    }
    return place;
  }
};

/// Rows to sort: all local rows, or those of one potential.
template <class Precision>
struct SortedMembers {
  using Coordinate = typename Precision::Coordinate;
  SpatialGrid grid;
  const int* row;                // (members) owned before ghosts; null: member m is row m
  const Coordinate* tag;         // (residues) tags of their records, by id
  int members, owned;            // members includes ghosts up to the capacity, present or not
  int first_ghost_slot;          // slot of the first ghost's record
  const int* present;            // members before this one are present; null: all are
  int* slot;                     // (rows)
  Coordinate* tag_of_row;        // (rows), or null
  int* row_of_slot;              // (members) in spatial order; for a ghost the slot of its record
  PackedRow<Precision>* record;  // (members) by slot
  PackedRow<Precision>* other;   // the set of records that alternates with it, or null
  PackedRow<Mixed>* coarse;      // (members) in spatial order; the tag is the global id
  unsigned* border;              // GhostBlocks of the pair loop
  int block_rows_log2;           // owned slots per block of the pair loop

  [[nodiscard]] NFOLD_FUNCTION int blocks() const {
    return (owned + (1 << block_rows_log2) - 1) >> block_rows_log2;
  }
  /// True if m is the first absent member, which counts for all of them; one by one they would
  /// contend for one word.
  [[nodiscard]] NFOLD_FUNCTION bool is_first_absent(int m) const { return m == *present; }
  [[nodiscard]] NFOLD_FUNCTION int key_of_absent() const {
    return grid.first_key + grid.keys() - 1;
  }
};

/// Both sorts of members of one rank: all rows, then the charged ones.
template <class Precision>
struct SortedRows {
  using Coordinate = typename Precision::Coordinate;
  SortedMembers<Precision> all, charged;
  Columns<const Coordinate> x;
  const int* id;  // (rows) global ids
  Columns<Coordinate> listed;
  int* count;        // (keys of both + 1), zero initially and again after FillSlots
  const int* first;  // (keys of both + 1) exclusive sums of count
  int* key;          // (members of both)
  int* place;        // (members of both) index within the cell

  /// Member of either sort: its index in the sort, and its row; -1: not present.
  struct Member {
    bool is_charged;
    int number, row;
  };
  [[nodiscard]] NFOLD_FUNCTION Member member(int item) const {
    const bool second = item >= all.members;
    const int m = second ? item - all.members : item;
    const SortedMembers<Precision>& k = kind(second);
    if (m >= k.owned && m >= *k.present) return {second, m, -1};
    return {second, m, k.row == nullptr ? m : k.row[m]};
  }
  [[nodiscard]] NFOLD_FUNCTION const SortedMembers<Precision>& kind(bool is_charged) const {
    return is_charged ? charged : all;
  }
};

/// Sets the slots of ghosts and the constant fields of their records. Work item: one ghost of
/// either sort.
template <class Precision>
struct SetGhostSlots {
  SortedMembers<Precision> kind;
  const int* id;  // (rows)
  NFOLD_FUNCTION void operator()(int ghost) const {
    const int m = kind.owned + ghost;
    const int row = kind.row == nullptr ? m : kind.row[m];
    const int at = kind.first_ghost_slot + ghost;
    kind.slot[row] = at;
    if (kind.tag_of_row != nullptr) kind.tag_of_row[row] = kind.tag[id[row]];
    kind.record[at].tag = kind.tag[id[row]];
    if (kind.other != nullptr) kind.other[at].tag = kind.tag[id[row]];
  }
};
/// Sets the records of owned rows. Before the first sort their slots are their member indices;
/// later they keep their slots. Work item: one owned member.
template <class Precision>
struct SetOwnedSlots {
  SortedMembers<Precision> kind;
  const int* id;  // (rows)
  bool has_no_slots;
  NFOLD_FUNCTION void operator()(int m) const {
    const int row = kind.row == nullptr ? m : kind.row[m];
    if (has_no_slots) kind.slot[row] = m;
    const int slot = kind.slot[row];
    if (kind.tag_of_row != nullptr) kind.tag_of_row[row] = kind.tag[id[row]];
    kind.record[slot].tag = kind.tag[id[row]];
    if (kind.other != nullptr) kind.other[slot].tag = kind.tag[id[row]];
  }
};
/// Scan that collects the rows with a nonzero tag, ascending, so that peers write consecutive
/// ghosts to consecutive slots. Work item: one row from `first` on.
template <class Coordinate>
struct CollectMembers {
  const Coordinate* tag;  // (residues)
  const int* id;          // (rows)
  int first;
  int members;  // members before these rows
  int* row;
  int* slot;  // (rows) output: -1 for a zero tag
  NFOLD_FUNCTION void operator()(int item, int& sum, bool final) const {
    const int i = first + item;
    const bool is_member = tag[id[i]] != 0;
    if (final) {
      if (is_member) {
        row[members + sum] = i;
      } else {
        slot[i] = -1;
      }
    }
    sum += is_member ? 1 : 0;
  }
};

/// Counts the residues with a nonzero tag. Work item: one of the ids.
template <class Coordinate>
struct CountTagged {
  const Coordinate* tag;  // (residues)
  const int* id;
  NFOLD_FUNCTION void operator()(int item, int& sum) const { sum += tag[id[item]] != 0 ? 1 : 0; }
};
/// Sets one number. Work item: the only one.
struct SetNumber {
  int* number;
  int value;
  NFOLD_FUNCTION void operator()(int) const { *number = value; }
};

/// Finds the occupied range of the open axes. Work item: one row.
template <class Precision>
struct FindOccupiedRange {
  Columns<const typename Precision::Coordinate> x;
  int owned;
  const int* present;                    // rows before this one are present
  SpatialGrid::OccupiedRange* occupied;  // initially empty (ResetOccupiedRange)
  NFOLD_FUNCTION void operator()(int i) const {
    if (i >= owned && i >= *present) return;
    const std::int32_t c[3] = {Precision::coarse(x.x[i]), Precision::coarse(x.y[i]),
                               Precision::coarse(x.z[i])};
    for (int axis = 0; axis < 3; ++axis) {
      const auto relative = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(c[axis]) - static_cast<std::uint32_t>(occupied[axis].origin));
      // Few rows extend the range; the others need no atomic.
      if (relative < Kokkos::atomic_load(&occupied[axis].least)) {
        Kokkos::atomic_min(&occupied[axis].least, relative);
      }
      if (relative > Kokkos::atomic_load(&occupied[axis].most)) {
        Kokkos::atomic_max(&occupied[axis].most, relative);
      }
    }
  }
};
/// Sets an empty range about the first row, before FindOccupiedRange. Work item: the only one.
template <class Precision>
struct ResetOccupiedRange {
  Columns<const typename Precision::Coordinate> x;
  SpatialGrid::OccupiedRange* occupied;
  NFOLD_FUNCTION void operator()(int) const {
    constexpr std::int32_t far = 0x7fffffff;
    occupied[0] = {Precision::coarse(x.x[0]), far, -far};
    occupied[1] = {Precision::coarse(x.y[0]), far, -far};
    occupied[2] = {Precision::coarse(x.z[0]), far, -far};
  }
};

/// Computes the key of each member and its index in its cell; clears the border blocks. Work item:
/// one member of either sort.
template <class Precision>
struct CountMembers {
  SortedRows<Precision> rows;
  NFOLD_FUNCTION void operator()(int item) const {
    const auto [is_charged, m, i] = rows.member(item);
    const SortedMembers<Precision>& kind = rows.kind(is_charged);
    if (m < GhostBlocks::words_for(kind.blocks())) kind.border[m] = 0;
    if (i < 0) {
      if (kind.is_first_absent(m)) rows.count[kind.key_of_absent()] = kind.members - m;
      return;
    }
    int key = kind.grid.key_of(Precision::coarse(rows.x.x[i]), Precision::coarse(rows.x.y[i]),
                               Precision::coarse(rows.x.z[i]));
    if (m >= kind.owned) {
      key =
          kind.grid.ghost_key_of_coarse((key - kind.grid.first_key) >> (3 * kind.grid.coarse_log2));
    }
    rows.key[item] = key;
    rows.place[item] = Kokkos::atomic_fetch_add(&rows.count[key], 1);
  }
};

/// Fills slots, records and coordinates at the rebuild. It also clears the counts, which saves a
/// launch. Work item: one member of either sort.
template <class Precision>
struct FillSlots {
  SortedRows<Precision> rows;
  NFOLD_FUNCTION void operator()(int item) const {
    const auto [is_charged, m, i] = rows.member(item);
    const SortedMembers<Precision>& kind = rows.kind(is_charged);
    if (i < 0) {
      if (kind.is_first_absent(m)) rows.count[kind.key_of_absent()] = 0;
      return;
    }
    const int key = rows.key[item];
    rows.count[key] = 0;
    const int before = is_charged ? rows.all.members : 0;
    const int slot = rows.first[key] + rows.place[item] - before;
    const auto x = rows.x.x[i], y = rows.x.y[i], z = rows.x.z[i];
    kind.row_of_slot[slot] = m < kind.owned ? i : kind.slot[i];
    kind.coarse[slot] = {Precision::coarse(x), Precision::coarse(y), Precision::coarse(z),
                         rows.id[i]};
    if (m >= kind.owned) return;
    kind.slot[i] = slot;
    const PackedRow<Precision> record{x, y, z, kind.tag[rows.id[i]]};
    kind.record[slot] = record;
    if (kind.other != nullptr) kind.other[slot] = record;
    if (is_charged) return;
    rows.listed.x[i] = x;
    rows.listed.y[i] = y;
    rows.listed.z[i] = z;
  }
};

}  // namespace nfold::kernels
