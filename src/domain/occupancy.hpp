// Which cells of a global grid a rank occupies, in few bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// Cell of the global grid, each index below 2^21 - 1: counted from the origin of the box along a
/// periodic axis, from the low corner of all residues along an open one.
using Cell = std::array<std::int32_t, 3>;

/// The grid that all ranks share: a cell follows from a residue's exact coordinates alone.
class CellGrid {
 public:
  /// Residues within the range stand at most this many cells apart along each axis. Finer cells
  /// bring fewer ghosts (400,000 residues on 8 ranks, range 4.3 nm: 83,000 a rank with cells as
  /// wide as the range, 68,000 with halves, 60,000 with thirds, of 55,000 needed) and more looking.
  static constexpr std::int32_t reach = 3;

  /// Collective. Cells at least range_nm / cells_per_range wide. Along a periodic axis they divide
  /// the box evenly, along an open one they are doubled until any spread fits 21 bits. Throws
  /// std::invalid_argument unless range_nm is a number > 0.
  CellGrid(const comm::Communicator& communicator, const system::Box& box,
           std::span<const system::FixedPosition> mine, double range_nm,
           int cells_per_range = reach);
  [[nodiscard]] Cell cell_of(const system::FixedPosition& position) const;
  /// Cells along each axis where it is periodic, else 0.
  [[nodiscard]] const Cell& period() const { return period_; }

 private:
  Cell period_{0, 0, 0};
  system::FixedPosition low_{};                 // open axes
  std::array<std::uint64_t, 3> edge_{1, 1, 1};  // open axes, counts
};

/// 63 bits, ordered by x, then y, then z.
[[nodiscard]] std::uint64_t key_of(const Cell& cell);
[[nodiscard]] Cell cell_of_key(std::uint64_t key);

/// One rank's occupied cells: a bitmap over their bounding box, or their sorted keys where those
/// are fewer bytes.
class Occupancy {
 public:
  /// keys: ascending, unique.
  explicit Occupancy(std::span<const std::uint64_t> keys);
  /// near[c] != 0 if a cell at most CellGrid::reach away from keys[c] (ascending) along
  /// each axis is occupied; `period` is CellGrid::period, across which neighbours are found too.
  [[nodiscard]] std::vector<char> near(std::span<const std::uint64_t> keys,
                                       const Cell& period) const;
  [[nodiscard]] std::size_t bytes() const { return 8 * (words_.size() + 4); }
  [[nodiscard]] bool is_bitmap() const { return is_bitmap_; }

 private:
  struct Candidate {
    Cell cell;  // an image of the cell asked for; may be negative
    std::size_t index;
  };
  [[nodiscard]] bool box_is_near(const Cell& low, const Cell& high) const;
  [[nodiscard]] bool bitmap_is_near(const Cell& cell) const;
  [[nodiscard]] bool any_bit(std::size_t from, std::size_t to) const;
  void mark_near_in_list(std::span<const Candidate> candidates, std::vector<char>& near) const;

  Cell low_{0, 0, 0}, extent_{0, 0, 0};  // box of the occupied cells; extent 0: nothing
  bool is_bitmap_ = false;
  std::vector<std::uint64_t> words_;  // bits, z fastest; or keys
};

}  // namespace nfold::domain
