// Inventory of this process's node, and the merging of inventories of one host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "device/hardware/inventory.hpp"

namespace nfold::hardware {

/// Memory of the host, within the limits of the job.
struct HostMemory {
  std::int64_t free_bytes = 0, total_bytes = 0;
};

/// Reads the inventory through hwloc, NVML and the system.
[[nodiscard]] NodeInventory read_node(const HostMemory& memory);

/// Returns the highest clock of this machine's cores; none: the system does not report it.
[[nodiscard]] std::optional<int> highest_clock_mhz();

/// Returns one entry per host, in the order of first entries. Includes all GPUs if a scheduler
/// shows a different one to each process, numbered in the order of their bus ids.
[[nodiscard]] std::vector<NodeInventory> merged(const std::vector<NodeInventory>& reported);

}  // namespace nfold::hardware
