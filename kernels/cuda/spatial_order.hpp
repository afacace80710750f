// Residues in the order of a space-filling curve: cells, counts and slots.
// SPDX-License-Identifier: BSD-3-Clause
//
// A slot is a place in that order. Owned rows come first, ghosts after them. The records of owned
// rows stand at their slots; those of ghosts stay where other ranks write them, at the slots they
// have had since the halo was planned. The order within a cell may differ from run to run
// (atomics); no bit depends on it, since sums are of integers.
#pragma once

#include "kernels/arithmetic/fixed_point.hpp"
#include "kernels/arithmetic/portable.hpp"
#include "kernels/arithmetic/views.hpp"
#include "kernels/cuda/team_lists.hpp"
#include "kernels/loops/pair_rows.hpp"

namespace nfold::kernels {

/// Cells of which 2^bits lie along each axis: of the box where it is periodic, of the occupied
/// stretch where it is open.
struct SpatialGrid {
  /// Of an open axis: coordinates of all members are origin + least .. origin + most.
  struct Stretch {
    std::int32_t origin, least, most;
  };
  int bits[3];
  bool periodic[3];
  float nm[3];             // of one unit of an int32 difference
  const Stretch* stretch;  // (3), on the device
  const int* rank;         // (cells) place of each cell on the curve
  int coarse_log2;  // 2^this cells along each axis make a coarse one, contiguous on the curve
  const int* coarse_rank;  // (coarse cells) place of each on its own curve
  int first_key;           // of these cells within the array of counts
  bool ghosts_apart;       // ghosts have keys of their own, behind those of the owned: one a coarse
                           // cell, and then one for members that are not present

  [[nodiscard]] NFOLD_FUNCTION int cells() const { return 1 << (bits[0] + bits[1] + bits[2]); }
  [[nodiscard]] NFOLD_FUNCTION int coarse_cells() const { return cells() >> (3 * coarse_log2); }
  [[nodiscard]] NFOLD_FUNCTION int keys() const {
    return ghosts_apart ? cells() + coarse_cells() + 1 : cells();
  }

  /// Cell along an axis; where it is open, of a coordinate relative to the least one.
  [[nodiscard]] NFOLD_FUNCTION int cell_of_offset(int axis, std::int64_t offset) const {
    const float width =
        static_cast<float>(static_cast<std::int64_t>(stretch[axis].most) - stretch[axis].least + 1);
    const int n = 1 << bits[axis];
    const int cell = static_cast<int>(static_cast<float>(offset) * (static_cast<float>(n) / width));
    return offset < 0 ? 0 : cell < n ? cell : n - 1;
  }
  [[nodiscard]] NFOLD_FUNCTION int cell_of(int axis, std::int32_t x) const {
    if (bits[axis] == 0) return 0;
    const auto place = static_cast<std::uint32_t>(x);
    if (periodic[axis]) return static_cast<int>(place >> (32 - bits[axis]));
    const Stretch s = stretch[axis];
    const auto relative = static_cast<std::int32_t>(place - static_cast<std::uint32_t>(s.origin));
    return cell_of_offset(axis, static_cast<std::int64_t>(relative) - s.least);
  }
  [[nodiscard]] NFOLD_FUNCTION int plain(int x, int y, int z) const {
    return (((z << bits[1]) + y) << bits[0]) + x;
  }
  [[nodiscard]] NFOLD_FUNCTION int coarse_bits(int axis) const { return bits[axis] - coarse_log2; }
  /// Place of a coarse cell on its curve.
  [[nodiscard]] NFOLD_FUNCTION int rank_of_coarse(int x, int y, int z) const {
    return coarse_rank[(((z << coarse_bits(1)) + y) << coarse_bits(0)) + x];
  }
  /// Keys of its owned members: coarse_keys() from this one on.
  [[nodiscard]] NFOLD_FUNCTION int first_key_of_coarse(int place) const {
    return first_key + (place << (3 * coarse_log2));
  }
  [[nodiscard]] NFOLD_FUNCTION int coarse_keys() const { return 1 << (3 * coarse_log2); }
  /// Key of its ghosts, which rows are searched for by coarse cells only: fewer counts to sum.
  [[nodiscard]] NFOLD_FUNCTION int ghost_key_of_coarse(int place) const {
    return first_key + cells() + place;
  }
  [[nodiscard]] NFOLD_FUNCTION int key_of(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return first_key + rank[plain(cell_of(0, x), cell_of(1, y), cell_of(2, z))];
  }
};

/// Place of a cell on a Hilbert curve (Skilling, AIP Conf. Proc. 707, 381 (2004)) through cubes of
/// the shortest axis' cells; the cubes follow each other along the longer axes. Eight cells that
/// make one of half as many along each axis are contiguous, in the order of the coarser curve.
struct RankCells {
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

/// What is sorted: all local rows, or those of them that a potential concerns.
template <class Precision>
struct SortedMembers {
  using Coordinate = typename Precision::Coordinate;
  SpatialGrid grid;
  const int* row;          // (members) owned before ghosts; null: member m is row m
  const Coordinate* tag;   // (residues) of their records, by id
  int members, owned;      // ghosts included for which there is room but which are not present
  int ghosts_at;           // the record of the first ghost
  const int* present;      // members before this one are there; null: all are
  int* slot;               // (rows)
  Coordinate* tag_of_row;  // (rows), or null
  int* row_of_slot;        // (members) in spatial order; of a ghost where its record stands
  PackedRow<Precision>* record;  // (members) by slot
  PackedRow<Precision>* other;   // the set of records that takes turns with it, or null
  PackedRow<Mixed>* coarse;      // (members) in spatial order; the tag is the global id
  unsigned* border;              // BorderBlocks of the pair loop
  int block_rows_log2;           // owned slots of such a block

  [[nodiscard]] NFOLD_FUNCTION int blocks() const {
    return (owned + (1 << block_rows_log2) - 1) >> block_rows_log2;
  }
  /// Whether m is the first member that is not present, which stands for all of them: each for
  /// itself, they would queue up for one word.
  [[nodiscard]] NFOLD_FUNCTION bool is_first_absent(int m) const { return m == *present; }
  [[nodiscard]] NFOLD_FUNCTION int key_of_absent() const {
    return grid.first_key + grid.keys() - 1;
  }
};

/// Both kinds of members of one rank, all rows first.
template <class Precision>
struct SortedRows {
  using Coordinate = typename Precision::Coordinate;
  SortedMembers<Precision> all, charged;
  Columns<const Coordinate> x;
  const int* id;  // (rows) global ids
  Columns<Coordinate> listed;
  int* count;        // (keys of both + 1), zero before and again after FillSlots
  const int* first;  // (keys of both + 1) exclusive sums of count
  int* key;          // (members of both)
  int* place;        // (members of both) within the cell

  /// One member of either kind: its number within the kind, and its row; -1: it is not present.
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

/// Places of the ghosts' records and what stays in them. Work item: one ghost of either kind.
template <class Precision>
struct PlaceGhosts {
  SortedMembers<Precision> kind;
  const int* id;  // (rows)
  NFOLD_FUNCTION void operator()(int ghost) const {
    const int m = kind.owned + ghost;
    const int row = kind.row == nullptr ? m : kind.row[m];
    const int at = kind.ghosts_at + ghost;
    kind.slot[row] = at;
    if (kind.tag_of_row != nullptr) kind.tag_of_row[row] = kind.tag[id[row]];
    kind.record[at].tag = kind.tag[id[row]];
    if (kind.other != nullptr) kind.other[at].tag = kind.tag[id[row]];
  }
};
/// Before the first sort an owned row's slot is its number among the members; later it has one, and
/// only the records are new. Work item: one owned member.
template <class Precision>
struct PlaceOwned {
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
/// Scan that collects the rows whose tag is not zero, ascending: peers then write ghosts that
/// follow each other to places that do. Work item: one row from `first` on.
template <class Coordinate>
struct CollectMembers {
  const Coordinate* tag;  // (residues)
  const int* id;          // (rows)
  int first;
  int members;  // before
  int* row;
  int* slot;  // (rows) receives -1 where the tag is zero
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

/// Counts the residues whose tag is not zero. Work item: one of the ids.
template <class Coordinate>
struct CountTagged {
  const Coordinate* tag;  // (residues)
  const int* id;
  NFOLD_FUNCTION void operator()(int item, int& sum) const { sum += tag[id[item]] != 0 ? 1 : 0; }
};
/// Work item: the only one.
struct SetNumber {
  int* number;
  int value;
  NFOLD_FUNCTION void operator()(int) const { *number = value; }
};

/// Marks the occupied stretch of the open axes. Work item: one row.
template <class Precision>
struct MarkStretch {
  Columns<const typename Precision::Coordinate> x;
  int owned;
  const int* present;             // rows before this one are there
  SpatialGrid::Stretch* stretch;  // least and most beyond any before
  NFOLD_FUNCTION void operator()(int i) const {
    if (i >= owned && i >= *present) return;
    const std::int32_t c[3] = {Precision::coarse(x.x[i]), Precision::coarse(x.y[i]),
                               Precision::coarse(x.z[i])};
    for (int axis = 0; axis < 3; ++axis) {
      const auto relative = static_cast<std::int32_t>(
          static_cast<std::uint32_t>(c[axis]) - static_cast<std::uint32_t>(stretch[axis].origin));
      // Few rows are beyond all before them; the others need no atomic.
      if (relative < Kokkos::atomic_load(&stretch[axis].least)) {
        Kokkos::atomic_min(&stretch[axis].least, relative);
      }
      if (relative > Kokkos::atomic_load(&stretch[axis].most)) {
        Kokkos::atomic_max(&stretch[axis].most, relative);
      }
    }
  }
};
/// Before MarkStretch: an empty stretch about the first row. Work item: the only one.
template <class Precision>
struct StartStretch {
  Columns<const typename Precision::Coordinate> x;
  SpatialGrid::Stretch* stretch;
  NFOLD_FUNCTION void operator()(int) const {
    constexpr std::int32_t far = 0x7fffffff;
    stretch[0] = {Precision::coarse(x.x[0]), far, -far};
    stretch[1] = {Precision::coarse(x.y[0]), far, -far};
    stretch[2] = {Precision::coarse(x.z[0]), far, -far};
  }
};

/// Key of each member and its place in its cell; no block of the pair loop is a border's yet. Work
/// item: one member of either kind.
template <class Precision>
struct CountMembers {
  SortedRows<Precision> rows;
  NFOLD_FUNCTION void operator()(int item) const {
    const auto [is_charged, m, i] = rows.member(item);
    const SortedMembers<Precision>& kind = rows.kind(is_charged);
    if (m < BorderBlocks::words_for(kind.blocks())) kind.border[m] = 0;
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

/// Slots and what stands in them; coordinates at listing. Clears the counts that were counted: to
/// do so beforehand would take a launch. Work item: one member of either kind.
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
