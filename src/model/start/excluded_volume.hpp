// Spatial index of the placed residues: cell lists in a hash of blocks of cells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "model/start/id_range.hpp"
#include "model/topology/geometry.hpp"
#include "system/cell_grid.hpp"

namespace nfold::start {

using topology::Point;

/// Memory grows with the placed residues, not with the box, so a droplet in a nearly empty box is
/// not more expensive. It stores a residue to a millionth of a cell, in 12 bytes, and the current
/// molecule exactly. Results are those of exact positions: if rounding might decide, it calls
/// Settled.
class ExcludedVolume {
 public:
  /// Returns the exact, unwrapped position of a residue of an earlier molecule.
  using FindExactPosition = std::function<Point(int id)>;

  /// residues: number of ids. reach_nm: longest search distance.
  ExcludedVolume(const system::Box& box, std::size_t residues, double reach_nm,
                 FindExactPosition settled);
  /// For one molecule at a time: see begin_alone().
  ExcludedVolume(const system::Box& box, double reach_nm);

  /// Begins a molecule, given by ascending id ranges.
  void begin(std::span<const IdRange> molecule);
  /// Begins a molecule in an empty volume: memory is for this molecule only.
  void begin_alone(std::span<const IdRange> molecule);

  [[nodiscard]] const system::Box& box() const { return grid_.box(); }
  [[nodiscard]] bool is_placed(int id) const {
    const std::size_t i = node_index(id);
    return i < node_.size() && node_[i].next != nowhere;
  }
  [[nodiscard]] bool is_current(int id) const;
  /// Returns the unwrapped position of a placed residue of the current molecule.
  [[nodiscard]] const Point& at(int id) const { return current_nm_[work_index(id)]; }
  void add(int id, const Point& x_nm);
  /// Removes a residue, which must be the latest one still there.
  void remove_latest(int id);

  /// True if a residue is closer to x than its limit_of(id) [nm^2], at most the squared reach, by
  /// nearest images. A limit of 0 means none.
  template <class LimitOf>
  [[nodiscard]] bool any_within(const Point& x_nm, const LimitOf& limit_of) const;
  /// Calls visit(id) for each residue within reach of x, and for some beyond, until it returns
  /// true. Returns true if it did.
  template <class Visit>
  [[nodiscard]] bool any_near(const Point& x_nm, const Visit& visit) const;
  /// Returns the number of residues in the cells around x. In a box of one or two cells some count
  /// more than once.
  [[nodiscard]] int count_nearby(const Point& x_nm) const;

  /// Returns the squared distance from x to the nearest image of a placed residue.
  [[nodiscard]] double squared_distance(const Point& x_nm, int id) const {
    return squared_wrapped(grid_.into_box(x_nm), grid_.into_box(exact_at(id)));
  }

 private:
  using Cell = system::CellGrid::Cell;
  static constexpr int nowhere = -2, end_of_list = -1;
  static constexpr unsigned offset_bits = 20;
  static constexpr std::uint64_t offset_mask = (1U << offset_bits) - 1;
  static constexpr double offset_steps = 1U << offset_bits;
  static constexpr std::size_t pairs_in_block = 8;  // 2 x 2 x 2 cells each, 4 x 4 x 4 in all

  /// Offset in the cell, 20 bits per axis. Three low bits tell if the cell is the upper one of its
  /// pair along each axis.
  struct Node {
    std::uint32_t low = 0, high = 0;
    int next = nowhere;
    [[nodiscard]] std::uint64_t packed() const {
      return (static_cast<std::uint64_t>(high) << 32U) | low;
    }
  };
  static_assert(sizeof(Node) == 12);

  /// Pair of adjacent cells along one axis: how often each is among the three cells around a point,
  /// and their lower edges.
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
  [[nodiscard]] Point exact_at(int id) const {
    return is_current(id) ? at(id) : find_exact_position_(id);
  }
  [[nodiscard]] static std::uint64_t key_of_block(const Cell& pair);
  [[nodiscard]] static std::size_t index_in_block(const Cell& pair);
  /// Returns the offset of the block's lists in head_, or -1.
  [[nodiscard]] std::int64_t block_of(std::uint64_t key) const;
  std::int64_t make_block(std::uint64_t key);
  void grow_table();
  [[nodiscard]] int& head_of(const Cell& cell);
  [[nodiscard]] PairsAlong pairs_along(std::size_t axis, std::int64_t cell) const;
  /// Calls visit(id, approximate position in the box, multiplicity of its cell among the 27 around)
  /// until it returns true.
  template <class Visit>
  [[nodiscard]] bool walk(const Point& wrapped, const Visit& visit) const;
  [[nodiscard]] double squared_wrapped(const Point& a, const Point& b) const;

  system::CellGrid grid_;
  FindExactPosition find_exact_position_;
  Point half_nm_{};  // half the length of a periodic axis; infinite along an open one
  Point width_nm_{};
  double position_error_nm_ = 0;  // largest error of a position in walk()
  int first_id_ = 0;              // id of the first entry of node_
  std::vector<Node> node_;
  std::vector<IdRange> molecule_;
  std::vector<Point> current_nm_;     // unwrapped positions of the current molecule
  std::vector<std::uint64_t> key_;    // keys of a hash table with open addressing; 0: free
  std::vector<std::uint32_t> block_;  // block index, by slot of key_
  std::vector<int> head_;             // (blocks, 8)
  std::size_t blocks_ = 0;
};

inline bool ExcludedVolume::is_current(int id) const {
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
        int id = head_[static_cast<std::size_t>(last_block) + index_in_block(pair)];
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
    const double margin = position_error_nm_ * (2 * std::sqrt(limit) + 3 * position_error_nm_);
    if (squared >= limit + margin) return false;
    return squared < limit - margin || squared_wrapped(x, grid_.into_box(exact_at(id))) < limit;
  });
}

template <class Visit>
bool ExcludedVolume::any_near(const Point& x_nm, const Visit& visit) const {
  return walk(grid_.into_box(x_nm), [&](int id, const Point&, int) { return visit(id); });
}

}  // namespace nfold::start
