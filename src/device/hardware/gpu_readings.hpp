// Readings of a node's GPUs and the links between them through NVML.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>

#include "device/hardware/inventory.hpp"
#include "device/hardware/nvml.hpp"

namespace nfold::hardware {

/// Fills in driver, GPUs and links, or notes why there are none. Does not throw for a failed GPU.
void read_gpus(const nvml::Library& library, NodeInventory& node);

/// Returns the readings of one GPU, without its neighbours on the node.
[[nodiscard]] Gpu read_gpu(const nvml::Library& library, nvml::Device device, int index);

/// Returns the cores of each multiprocessor by compute capability; none if unknown.
[[nodiscard]] std::optional<int> cores_per_compute_unit(int major, int minor);

/// Returns "0000:1b:00.0" from a bus id as written by NVML, CUDA or hwloc.
[[nodiscard]] std::string plain_bus_id(std::string_view text);

/// Marks the GPUs hidden by CUDA_VISIBLE_DEVICES (null: not set): indices or beginnings of UUIDs,
/// up to the first invalid entry.
void mark_visible(const char* variable, std::vector<Gpu>& gpus);

}  // namespace nfold::hardware
