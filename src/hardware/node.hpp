// The inventory of the node that this process runs on, and how several readers' become one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "hardware/inventory.hpp"

namespace nfold::hardware {

/// Of the host, within the limits of the job.
struct HostMemory {
  std::int64_t free_bytes = 0, total_bytes = 0;
};

/// Asks hwloc, NVML and the system.
[[nodiscard]] NodeInventory read_node(const HostMemory& memory);

/// One entry a host, in the order in which they come. Where a scheduler shows each process a GPU of
/// its own, all are here, numbered in the order of their places on the bus.
[[nodiscard]] std::vector<NodeInventory> merged(const std::vector<NodeInventory>& told);

}  // namespace nfold::hardware
