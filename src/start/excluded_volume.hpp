// The residues placed so far, found by place: periodic cells in a hash of blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "system/cell_grid.hpp"
#include "topology/geometry.hpp"

namespace nfold::start {

using topology::Point;

/// Grows with what is placed, not with the box: a droplet in a near-empty box costs what it costs
/// in a full one.
class ExcludedVolume {
 public:
  /// residues: ids run below it. reach_nm: the longest distance that any search asks for.
  ExcludedVolume(const system::Box& box, std::size_t residues, double reach_nm);

  [[nodiscard]] const system::Box& box() const { return grid_.box(); }
  [[nodiscard]] bool is_placed(int id) const { return placed_[index(id)] != 0; }
  /// Unwrapped, of a residue that is placed.
  [[nodiscard]] const Point& at(int id) const { return unwrapped_[index(id)]; }
  /// Of all residues, unwrapped; nothing is left here.
  [[nodiscard]] std::vector<Point> take_positions();
  void add(int id, const Point& x_nm);
  /// id: the latest one added of those that are still there.
  void remove_latest(int id);

  /// Calls visit(id, squared distance to the nearest image) for each residue within reach_nm of x
  /// and some beyond, until it returns true; says whether it did.
  template <class Visit>
  [[nodiscard]] bool any_near(const Point& x_nm, Visit&& visit) const;

  /// Residues in the cells around x: how crowded it is there.
  [[nodiscard]] int crowd(const Point& x_nm) const;

  /// To the nearest image.
  [[nodiscard]] double squared_distance(const Point& a, const Point& b) const;

 private:
  using Cell = system::CellGrid::Cell;
  static constexpr std::int64_t block_edge = 4;  // cells
  static constexpr std::size_t block_cells = 64;

  [[nodiscard]] static std::size_t index(int id) { return static_cast<std::size_t>(id); }
  /// Block of a cell along an axis.
  [[nodiscard]] static std::int64_t block_along(std::int64_t cell) {
    static_assert(block_edge == 4);
    return cell >> 2;  // rounds down
  }
  [[nodiscard]] static std::uint64_t key_of(const Cell& cell);
  [[nodiscard]] static std::size_t place_in_block(const Cell& cell);
  /// Start of the block's cells in head_, or -1.
  [[nodiscard]] std::int64_t block_of(std::uint64_t key) const;
  std::int64_t make_block(std::uint64_t key);
  void grow_table();
  /// Heads of the lists of the 27 cells around x, -1 where nothing is; the middle one first.
  [[nodiscard]] std::array<int, 27> lists_around(const Point& wrapped) const;
  [[nodiscard]] double squared_wrapped(const Point& a, const Point& b) const;

  system::CellGrid grid_;
  Point half_nm_{};  // of a periodic axis; infinite along an open one
  /// What a search reads of a residue, together.
  struct Placed {
    Point wrapped;
    int next;  // in the list of the cell
  };
  std::vector<Point> unwrapped_;
  std::vector<Placed> placed_at_;
  std::vector<char> placed_;
  std::vector<std::uint64_t> key_;   // hash table with open addressing, 0: free
  std::vector<std::int64_t> block_;  // by slot of key_: start in head_
  std::vector<int> head_;            // (blocks, 64)
  std::size_t blocks_ = 0;
};

template <class Visit>
bool ExcludedVolume::any_near(const Point& x_nm, Visit&& visit) const {
  const Point x = grid_.into_box(x_nm);
  for (const int head : lists_around(x)) {
    for (int i = head; i >= 0; i = placed_at_[index(i)].next) {
      if (visit(i, squared_wrapped(x, placed_at_[index(i)].wrapped))) return true;
    }
  }
  return false;
}

inline double ExcludedVolume::squared_wrapped(const Point& a, const Point& b) const {
  const auto& length_nm = box().length_nm;
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    double d = a[k] - b[k];
    d -= d > half_nm_[k] ? length_nm[k] : (d < -half_nm_[k] ? -length_nm[k] : 0.0);
    sum += d * d;
  }
  return sum;
}

}  // namespace nfold::start
