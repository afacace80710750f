// Arrays that move to host memory where a GPU's is short: the decision, tables and JSON.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "device/job_devices.hpp"
#include "device/memory_estimate.hpp"
#include "estimate/machine.hpp"
#include "session/setup/memory_estimate.hpp"

namespace nfold::setup {

/// Decision of this rank, and a line for the log with its numbers, equal on all ranks; empty if
/// nothing moves.
struct Placement {
  std::size_t moved_uses = 0;  ///< the first ones of device::moving_order
  std::string message;
};
/// Collective, before the first array: decides by the free memory of this rank which of its arrays
/// move to host memory, and places arrays accordingly from now on.
[[nodiscard]] Placement place_arrays(const comm::Communicator& communicator,
                                     const device::JobDevices& devices,
                                     const device::MemoryEstimate& mine);

/// Memory of a machine for the arrays of one rank on a GPU [bytes].
struct RankMemory {
  std::int64_t device_bytes = 0, host_bytes = 0;
};
/// Returns the memory of a machine with GPUs, less that of the program and its libraries. limit:
/// limit of the arrays on a GPU; 0: none.
[[nodiscard]] RankMemory rank_memory(const estimate::Machine& machine, int rank_count,
                                     std::int64_t limit);

/// Estimate of a run with arrays where they would stand.
struct PlacedMemory {
  RunMemory memory;
  RankMemory of_rank;
  std::vector<std::size_t> moved_uses;  ///< (memory.ranks)
  [[nodiscard]] bool fits(std::size_t rank) const;
};
[[nodiscard]] PlacedMemory place(const RunMemory& memory, const RankMemory& of_rank);

/// Returns the order in which arrays move with their bytes, and for each rank its bytes, what has
/// moved and what would move next.
[[nodiscard]] std::vector<std::string> placement_table(const PlacedMemory& placed);
/// Returns the same with the bytes of each group of arrays on each rank.
[[nodiscard]] nlohmann::json placement_json(const PlacedMemory& placed);

/// Returns the least number of ranks, from `least` on, for which fits() holds, if it holds for all
/// larger numbers too; none up to 65,536.
[[nodiscard]] std::optional<int> smallest_rank_count(int least,
                                                     const std::function<bool(int)>& fits);
/// Returns the smallest number of GPUs that hold all needed arrays. memory_on: estimate for a
/// number of ranks.
[[nodiscard]] std::optional<int> smallest_gpu_count(const estimate::Machine& machine,
                                                    std::int64_t limit,
                                                    const std::function<RunMemory(int)>& memory_on);
[[nodiscard]] std::string describe_smallest_count(const estimate::Machine& machine,
                                                  const std::optional<int>& count);

}  // namespace nfold::setup
