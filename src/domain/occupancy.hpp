// Which cells of a global grid a rank occupies, published to all ranks in few bytes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// Cell of the global grid, counted from the low corner of all residues; each below 2^21 - 1.
using Cell = std::array<std::int32_t, 3>;

/// The grid that all ranks share: a cell follows from a residue's exact coordinates alone.
class CellGrid {
 public:
  /// Collective. Cells at least `range_counts` (> 0) wide, so that residues within that distance
  /// stand in neighbouring cells; doubled until any spread fits 21 bits a dimension.
  CellGrid(const comm::Communicator& communicator, std::span<const system::FixedPosition> mine,
           std::int64_t range_counts);
  [[nodiscard]] Cell cell_of(const system::FixedPosition& position) const;

 private:
  system::FixedPosition low_{};
  std::uint64_t edge_ = 1;
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
  /// Collective: every rank's occupancy, by rank.
  [[nodiscard]] static std::vector<Occupancy> all(const comm::Communicator& communicator,
                                                  std::span<const std::uint64_t> my_keys);
  /// near[c] != 0 if one of the 27 cells around keys[c] (ascending, unique) is occupied.
  [[nodiscard]] std::vector<char> near(std::span<const std::uint64_t> keys) const;
  [[nodiscard]] std::size_t bytes() const { return 8 * (words_.size() + 4); }
  [[nodiscard]] bool is_bitmap() const { return is_bitmap_; }

 private:
  Occupancy() = default;
  [[nodiscard]] bool box_is_near(const Cell& cell) const;
  [[nodiscard]] bool bitmap_is_near(const Cell& cell) const;
  void mark_near_in_list(std::span<const std::uint64_t> keys, std::vector<char>& near) const;

  Cell low_{0, 0, 0}, extent_{0, 0, 0};  // box of the occupied cells; extent 0: nothing
  bool is_bitmap_ = false;
  std::vector<std::uint64_t> words_;  // bits, z fastest; or keys
};

}  // namespace nfold::domain
