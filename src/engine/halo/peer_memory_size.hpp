// Size of memory that peers write, for allocation and for memory estimates of any build.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

namespace nfold::halo {

/// Name of the memory in memory estimates.
inline constexpr const char* peer_memory_name = "halo.peer_memory";
/// Returns the allocation size for `bytes` requested.
[[nodiscard]] constexpr std::size_t peer_memory_allocation(std::size_t bytes) {
  constexpr std::size_t least_bytes = std::size_t{4} << 20U;
  return std::max(bytes + bytes / 4, least_bytes);
}

}  // namespace nfold::halo
