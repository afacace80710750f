// The state of a run: exact coordinates and velocities by global residue id.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace nfold::system {

/// Position: 64-bit fixed point, one count is 2^-32 nm; drifts to 2^31 nm either way.
using FixedPosition = std::array<std::int64_t, 3>;
inline constexpr double counts_per_nm = 0x1p32;

/// Velocity [nm/ps].
using Velocity = std::array<double, 3>;

[[nodiscard]] inline std::int64_t to_fixed(double nm) {
  return static_cast<std::int64_t>(std::llrint(nm * counts_per_nm));
}
[[nodiscard]] inline double to_nm(std::int64_t counts) {
  return static_cast<double>(counts) * (1.0 / counts_per_nm);
}

/// Rows of some residues: `id` ascending global ids, the others row by row.
struct State {
  std::int64_t step = 0;
  std::vector<int> id;
  std::vector<FixedPosition> position;
  std::vector<Velocity> velocity;
};

}  // namespace nfold::system
