// Search for ranks that share a GPU, by UUID.
// SPDX-License-Identifier: BSD-3-Clause

#include "comm/gpu_identity.hpp"

#include <fmt/core.h>

#include <map>

namespace nfold::comm {

std::string format_uuid(const GpuId& id) {
  std::string text = "GPU";
  for (std::size_t k = 0; k < id.size(); ++k) {
    if (k == 0 || k == 4 || k == 6 || k == 8 || k == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(id[k]));
  }
  return text;
}

std::string describe_shared_gpu(std::span<const GpuIdentity> by_rank) {
  std::map<GpuId, std::size_t> owner;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) {
    const auto [other, is_first] = owner.emplace(by_rank[rank].id, rank);
    if (is_first) continue;
    return fmt::format("ranks {} and {} share one GPU ({}); start one rank per GPU", other->second,
                       rank, by_rank[rank].pci_bus.data());
  }
  return {};
}

}  // namespace nfold::comm
