// GPU that a rank uses, and ranks that use the same one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

namespace nfold::comm {

/// UUID of a GPU, unique across nodes.
using GpuId = std::array<char, 16>;
/// Value for a rank that computes on the CPU.
inline constexpr GpuId no_gpu{};

/// Formats a UUID like NVIDIA's tools: "GPU-8a6b...".
[[nodiscard]] std::string format_uuid(const GpuId& id);

struct GpuIdentity {
  GpuId id{};
  std::array<char, 16> pci_bus{};  ///< null-terminated text
};

/// Fills in the current CUDA device, or returns the reason why there is none. In builds with CUDA.
[[nodiscard]] std::string find_own_gpu(GpuIdentity& gpu);

/// Returns the GPUs visible to this process, in the order of their device numbers. In builds with
/// CUDA; empty if there is none or the driver fails.
[[nodiscard]] std::vector<GpuId> find_visible_gpus();

/// Describes the first two ranks that share a GPU; empty if each rank has its own. by_rank: all
/// ranks.
[[nodiscard]] std::string describe_shared_gpu(std::span<const GpuIdentity> by_rank);

}  // namespace nfold::comm
