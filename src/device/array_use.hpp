// Use of arrays, and the order in which they move to host memory if a GPU's memory is short.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>

namespace nfold::device {

/// Use of an array. Each movable use has its place in moving_order; `steps` is every step's, and
/// never moves.
enum class ArrayUse {
  checkpoint_copies,
  samples,
  accumulators,
  contact_maps,
  phase_rows,
  spare_buffers,
  steps
};

/// Use whose arrays may stand in host memory, which kernels then read and write over the GPU's
/// link to the host. No bit depends on where an array stands.
struct MovableUse {
  ArrayUse use;
  const char* name;
  const char* traffic;  ///< frequency at which the link carries its arrays
};

/// Uses in the order in which they move: the seldomer the link carries their arrays, the earlier.
inline constexpr std::array<MovableUse, 6> moving_order{{
    {ArrayUse::checkpoint_copies, "checkpoint copies", "copied once a checkpoint"},
    {ArrayUse::samples, "samples", "written once a sample, then fetched by the host"},
    {ArrayUse::accumulators, "accumulators", "some of them added to once a sample"},
    {ArrayUse::contact_maps, "contact maps", "all pairs counted once a sample"},
    {ArrayUse::phase_rows, "phase rows", "read for each pair of phases once a sample"},
    {ArrayUse::spare_buffers, "spare buffers", "written once a block of steps"},
}};

/// Returns the index in moving_order; its size for `steps`.
[[nodiscard]] constexpr std::size_t to_index(ArrayUse use) { return static_cast<std::size_t>(use); }
static_assert([] {
  for (std::size_t k = 0; k < moving_order.size(); ++k) {
    if (to_index(moving_order[k].use) != k) return false;
  }
  return to_index(ArrayUse::steps) == moving_order.size();
}());

}  // namespace nfold::device
