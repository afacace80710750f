// What NVML tells of a node's GPUs and the links between them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "hardware/inventory.hpp"
#include "hardware/nvml.hpp"

namespace nfold::hardware {

/// Fills in driver, GPUs and links, and notes why there are none. Never throws for a sick GPU.
void read_gpus(const nvml::Library& library, NodeInventory& node);

/// One GPU, but for its place on the node.
[[nodiscard]] Gpu read_gpu(const nvml::Library& library, nvml::Device device, int index);

/// Cores for each multiprocessor by compute capability; nothing for one that is not known.
[[nodiscard]] std::optional<int> cores_per_compute_unit(int major, int minor);

/// "0000:1b:00.0" of any of NVML's, CUDA's and hwloc's ways to write a bus id.
[[nodiscard]] std::string plain_bus_id(std::string_view text);

/// Marks those that CUDA_VISIBLE_DEVICES (null: not set) hides: numbers or beginnings of UUIDs, up
/// to the first that is neither.
void mark_visible(const char* variable, std::vector<Gpu>& gpus);

}  // namespace nfold::hardware
