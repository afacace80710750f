// Which GPU a rank uses, and whether two ranks use the same one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>

namespace nfold::comm {

struct GpuPlace {
  std::array<char, 16> id{};         ///< the GPU's UUID, which no other has on any node
  std::array<char, 16> pci_place{};  ///< as text, ends with 0
};

/// Fills in the current CUDA device's place, or says why there is none. In builds with CUDA.
[[nodiscard]] std::string find_own_gpu(GpuPlace& place);

/// The first ranks that share a GPU, in words; empty if each has its own. by_rank: of all ranks.
[[nodiscard]] std::string shared_gpu(std::span<const GpuPlace> by_rank);

}  // namespace nfold::comm
