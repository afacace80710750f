// The residues placed so far, found by place: periodic cells in a hash of blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "start/id_range.hpp"
#include "system/cell_grid.hpp"
#include "topology/geometry.hpp"

namespace nfold::start {

using topology::Point;

/// Grows with what is placed, not with the box: a droplet in a near-empty box costs what it costs
/// in a full one. It holds a residue to a millionth of a cell, in 12 bytes, and the molecule in
/// work exactly. Every answer is that of exact places: where rounding might decide, it asks for
/// one.
class ExcludedVolume {
 public:
  /// The exact place, unwrapped, of a residue of a molecule before the one in work.
  using Settled = std::function<Point(int id)>;

  /// residues: ids run below it. reach_nm: the longest distance that any search asks for.
  ExcludedVolume(const system::Box& box, std::size_t residues, double reach_nm, Settled settled);
  /// For one molecule at a time: see begin_alone().
  ExcludedVolume(const system::Box& box, double reach_nm);

  /// The molecule in work from here on, by ascending ranges.
  void begin(std::span<const IdRange> molecule);
  /// The same where nothing is placed: nothing needs room but this molecule.
  void begin_alone(std::span<const IdRange> molecule);

  [[nodiscard]] const system::Box& box() const { return grid_.box(); }
  [[nodiscard]] bool is_placed(int id) const {
    const std::size_t i = node_index(id);
    return i < node_.size() && node_[i].next != nowhere;
  }
  [[nodiscard]] bool is_in_work(int id) const;
  /// Unwrapped, of a residue of the molecule in work that is placed.
  [[nodiscard]] const Point& at(int id) const { return in_work_[work_index(id)]; }
  void add(int id, const Point& x_nm);
  /// id: the latest one added of those that are still there.
  void remove_latest(int id);

  /// Whether a residue is nearer to x than its limit_of(id) [nm^2], at most the squared reach;
  /// nearest images count. A limit of 0: none.
  template <class LimitOf>
  [[nodiscard]] bool any_within(const Point& x_nm, const LimitOf& limit_of) const;
  /// Calls visit(id) for each residue within reach of x and some beyond, until it returns true;
  /// says whether it did.
  template <class Visit>
  [[nodiscard]] bool any_near(const Point& x_nm, const Visit& visit) const;
  /// Residues in the cells around x: how crowded it is there. Of a box of one or two cells some
  /// count more than once.
  [[nodiscard]] int crowd(const Point& x_nm) const;

  /// From x to the nearest image of a residue that is placed.
  [[nodiscard]] double squared_distance(const Point& x_nm, int id) const {
    return squared_wrapped(grid_.into_box(x_nm), grid_.into_box(exact_at(id)));
  }

 private:
  using Cell = system::CellGrid::Cell;
  static constexpr int nowhere = -2, end_of_list = -1;
  static constexpr unsigned offset_bits = 20;
  static constexpr std::uint64_t offset_mask = (1U << offset_bits) - 1;
  static constexpr double offset_steps = 1U << offset_bits;
  static constexpr std::size_t pairs_in_block = 8;  // of 2 x 2 x 2 cells, in a block of 4 x 4 x 4

  /// Where in its cell, 20 bits an axis, below them whether the cell is the upper one of its pair
  /// along each axis.
  struct Node {
    std::uint32_t low = 0, high = 0;
    int next = nowhere;
    [[nodiscard]] std::uint64_t packed() const {
      return (static_cast<std::uint64_t>(high) << 32U) | low;
    }
  };
  static_assert(sizeof(Node) == 12);

  /// Pairs of cells around a point, along one axis: of the three cells around it, how often each of
  /// a pair comes, and where the two begin.
  struct PairAlong {
    std::int64_t pair = 0;
    std::array<int, 2> times{0, 0};
    std::array<double, 2> low_nm{0, 0};
  };
  struct PairsAlong {
    std::array<PairAlong, 3> pair;
    std::size_t count = 0;
  };

  [[nodiscard]] std::size_t node_index(int id) const {
    return static_cast<std::size_t>(static_cast<std::int64_t>(id) - first_id_);
  }
  [[nodiscard]] std::size_t work_index(int id) const;
  [[nodiscard]] Point exact_at(int id) const { return is_in_work(id) ? at(id) : settled_(id); }
  [[nodiscard]] static std::uint64_t key_of_block(const Cell& pair);
  [[nodiscard]] static std::size_t place_in_block(const Cell& pair);
  /// Start of the block's lists in head_, or -1.
  [[nodiscard]] std::int64_t block_of(std::uint64_t key) const;
  std::int64_t make_block(std::uint64_t key);
  void grow_table();
  [[nodiscard]] int& head_of(const Cell& cell);
  [[nodiscard]] PairsAlong pairs_along(std::size_t axis, std::int64_t cell) const;
  /// Calls visit(id, about where in the box, how often its cell is among the 27 around) until it
  /// returns true.
  template <class Visit>
  [[nodiscard]] bool walk(const Point& wrapped, const Visit& visit) const;
  [[nodiscard]] double squared_wrapped(const Point& a, const Point& b) const;

  system::CellGrid grid_;
  Settled settled_;
  Point half_nm_{};  // of a periodic axis; infinite along an open one
  Point width_nm_{};
  double place_error_nm_ = 0;  // the most that a place in walk() is off
  int first_id_ = 0;           // of node_
  std::vector<Node> node_;
  std::vector<IdRange> molecule_;
  std::vector<Point> in_work_;        // unwrapped, of the molecule in work
  std::vector<std::uint64_t> key_;    // hash table with open addressing, 0: free
  std::vector<std::uint32_t> block_;  // by slot of key_: which block
  std::vector<int> head_;             // (blocks, 8)
  std::size_t blocks_ = 0;
};

inline bool ExcludedVolume::is_in_work(int id) const {
  for (const auto& range : molecule_) {
    if (id >= range.first && id < range.end) return true;
  }
  return false;
}

inline std::size_t ExcludedVolume::work_index(int id) const {
  std::size_t before = 0;
  for (const auto& range : molecule_) {
    if (id < range.end) return before + static_cast<std::size_t>(id - range.first);
    before += static_cast<std::size_t>(range.end - range.first);
  }
  return before;
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

template <class Visit>
bool ExcludedVolume::walk(const Point& wrapped, const Visit& visit) const {
  const Cell centre = grid_.cell_of(wrapped);
  const std::array<PairsAlong, 3> along{pairs_along(0, centre[0]), pairs_along(1, centre[1]),
                                        pairs_along(2, centre[2])};
  std::uint64_t last_key = 0;
  std::int64_t last_block = -1;
  for (std::size_t i = 0; i < along[0].count; ++i) {
    const PairAlong& x = along[0].pair[i];
    for (std::size_t j = 0; j < along[1].count; ++j) {
      const PairAlong& y = along[1].pair[j];
      for (std::size_t k = 0; k < along[2].count; ++k) {
        const PairAlong& z = along[2].pair[k];
        const Cell pair{x.pair, y.pair, z.pair};
        const std::uint64_t key = key_of_block(pair);
        if (key != last_key) last_block = block_of(key);
        last_key = key;
        if (last_block < 0) continue;
        int id = head_[static_cast<std::size_t>(last_block) + place_in_block(pair)];
        while (id != end_of_list) {
          const Node& node = node_[node_index(id)];
          const std::uint64_t packed = node.packed();
          const std::size_t a = packed & 1U, b = (packed >> 1U) & 1U, c = (packed >> 2U) & 1U;
          const int times = x.times[a] * y.times[b] * z.times[c];
          if (times > 0) {
            const auto offset = [&](unsigned axis) {
              return (static_cast<double>((packed >> (3 + axis * offset_bits)) & offset_mask) +
                      0.5) *
                     width_nm_[axis] / offset_steps;
            };
            const Point about{x.low_nm[a] + offset(0), y.low_nm[b] + offset(1),
                              z.low_nm[c] + offset(2)};
            if (visit(id, about, times)) return true;
          }
          id = node.next;
        }
      }
    }
  }
  return false;
}

template <class LimitOf>
bool ExcludedVolume::any_within(const Point& x_nm, const LimitOf& limit_of) const {
  const Point x = grid_.into_box(x_nm);
  return walk(x, [&](int id, const Point& about, int) {
    const double limit = limit_of(id);
    if (!(limit > 0)) return false;
    const double squared = squared_wrapped(x, about);
    const double margin = place_error_nm_ * (2 * std::sqrt(limit) + 3 * place_error_nm_);
    if (squared >= limit + margin) return false;
    return squared < limit - margin || squared_wrapped(x, grid_.into_box(exact_at(id))) < limit;
  });
}

template <class Visit>
bool ExcludedVolume::any_near(const Point& x_nm, const Visit& visit) const {
  return walk(grid_.into_box(x_nm), [&](int id, const Point&, int) { return visit(id); });
}

}  // namespace nfold::start
