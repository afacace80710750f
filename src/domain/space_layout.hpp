// Coordinates in which residues are divided in space, with periodic axes opened.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "comm/communicator.hpp"
#include "system/box.hpp"
#include "system/state.hpp"

namespace nfold::domain {

/// Coordinates [nm]: unwrapped along open axes, within one period along periodic ones.
class SpaceLayout {
 public:
  /// Collective; positions of this rank. box and positions must outlive it.
  SpaceLayout(const comm::Communicator& communicator, const system::Box& box,
              std::span<const system::FixedPosition> positions);
  [[nodiscard]] double along(std::size_t axis, std::size_t row) const {
    const std::int64_t x = positions_[row][axis];
    return box_.to_nm(axis, box_.is_periodic(axis) ? (x - origin_[axis]) & (turn - 1) : x);
  }
  [[nodiscard]] std::array<double, 3> place_nm(std::size_t row) const {
    return {along(0, row), along(1, row), along(2, row)};
  }

 private:
  static constexpr std::int64_t turn = std::int64_t{1} << system::Box::turn_bits;
  /// Returns the coordinate at which a periodic axis is opened: the middle of the emptiest eighth,
  /// if its density is less than an eighth of the mean; else 0, so that small moves of residues do
  /// not shift all cuts. Collective.
  [[nodiscard]] static std::int64_t opening(const comm::Communicator& communicator,
                                            std::span<const system::FixedPosition> positions,
                                            std::size_t axis);

  const system::Box& box_;
  std::span<const system::FixedPosition> positions_;
  std::array<std::int64_t, 3> origin_{};
};

}  // namespace nfold::domain
