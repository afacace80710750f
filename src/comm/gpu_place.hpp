// Which GPU a rank uses, and whether two ranks use the same one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

namespace nfold::comm {

/// A GPU's UUID, which no other has on any node.
using GpuId = std::array<char, 16>;
/// Of a rank that computes on processors.
inline constexpr GpuId no_gpu{};

/// As NVIDIA's tools print it: "GPU-8a6b...".
[[nodiscard]] std::string uuid_text(const GpuId& id);

struct GpuPlace {
  GpuId id{};
  std::array<char, 16> pci_place{};  ///< as text, ends with 0
};

/// Fills in the current CUDA device's place, or says why there is none. In builds with CUDA.
[[nodiscard]] std::string find_own_gpu(GpuPlace& place);

/// Those that this process sees, in the order of their numbers. In builds with CUDA; empty where
/// there is none or where the driver fails.
[[nodiscard]] std::vector<GpuId> seen_gpus();

/// The first ranks that share a GPU, in words; empty if each has its own. by_rank: of all ranks.
[[nodiscard]] std::string shared_gpu(std::span<const GpuPlace> by_rank);

}  // namespace nfold::comm
