// Periodic box, and the integer coordinates of positions in it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace nfold::system {

/// A rectangular box, periodic along each axis with a length; an axis of length 0 is open.
///
/// Positions are int64 counts. Along an axis 2^44 counts make one turn: the box length, or 4,096 nm
/// if the axis is open (a count is then 2^-32 nm). The low 44 bits are the position in the box and
/// the bits above count the turns: positions stay unwrapped, and the nearest image of a difference
/// is its low 44 bits with their sign, exactly, in a box of any length.
struct Box {
  std::array<double, 3> length_nm{0, 0, 0};

  static constexpr int turn_bits = 44;
  static constexpr double counts_per_turn = 0x1p44;
  static constexpr double open_span_nm = 4096;

  [[nodiscard]] bool is_periodic(std::size_t axis) const { return length_nm[axis] > 0; }
  [[nodiscard]] bool is_open() const {
    return !is_periodic(0) && !is_periodic(1) && !is_periodic(2);
  }
  /// Length of one turn [nm].
  [[nodiscard]] double span_nm(std::size_t axis) const {
    return is_periodic(axis) ? length_nm[axis] : open_span_nm;
  }
  [[nodiscard]] double counts_per_nm(std::size_t axis) const {
    return counts_per_turn / span_nm(axis);
  }
  [[nodiscard]] double nm_per_count(std::size_t axis) const {
    return span_nm(axis) / counts_per_turn;
  }
  /// Volume; zero unless all three axes are periodic.
  [[nodiscard]] double volume_nm3() const { return length_nm[0] * length_nm[1] * length_nm[2]; }

  [[nodiscard]] std::int64_t to_counts(std::size_t axis, double nm) const {
    return static_cast<std::int64_t>(std::llrint(nm * counts_per_nm(axis)));
  }
  [[nodiscard]] double to_nm(std::size_t axis, std::int64_t counts) const {
    return static_cast<double>(counts) * nm_per_count(axis);
  }
  /// Rounds to the grid of mixed precision (2^12 counts), so that both precisions have the same
  /// start.
  [[nodiscard]] std::int64_t to_coarse_counts(std::size_t axis, double nm) const {
    constexpr double coarse = 4096;
    return static_cast<std::int64_t>(std::llrint(nm * (counts_per_nm(axis) / coarse))) * 4096;
  }
  /// Returns the difference of two positions to the nearest image; unchanged along an open axis.
  [[nodiscard]] double nearest_nm(std::size_t axis, double difference_nm) const {
    if (!is_periodic(axis)) return difference_nm;
    return difference_nm - length_nm[axis] * std::nearbyint(difference_nm / length_nm[axis]);
  }
  [[nodiscard]] bool operator==(const Box&) const = default;
};

}  // namespace nfold::system
