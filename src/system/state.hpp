// State of a run: exact coordinates and velocities by global residue id.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "system/box.hpp"

namespace nfold::system {

/// Position [counts of system::Box] along each axis, unwrapped.
using FixedPosition = std::array<std::int64_t, 3>;

/// Velocity [nm/ps].
using Velocity = std::array<double, 3>;

/// Converts a position to nm, unwrapped.
[[nodiscard]] inline std::array<double, 3> position_nm(const system::Box& box,
                                                       const FixedPosition& counts) {
  return {box.to_nm(0, counts[0]), box.to_nm(1, counts[1]), box.to_nm(2, counts[2])};
}
/// Returns the nearest position on the grid that both precisions share.
[[nodiscard]] inline FixedPosition coarse_position(const system::Box& box,
                                                   const std::array<double, 3>& nm) {
  return {box.to_coarse_counts(0, nm[0]), box.to_coarse_counts(1, nm[1]),
          box.to_coarse_counts(2, nm[2])};
}

/// Rows of residues: `id` are ascending global ids, the other columns have one entry per row.
struct State {
  std::int64_t step = 0;
  std::vector<int> id;
  std::vector<FixedPosition> position;
  std::vector<Velocity> velocity;
};

}  // namespace nfold::system
