// How much memory that peers write is taken: there, and in the plans of any build.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

namespace nfold::halo {

/// As the memory is called among arrays.
inline constexpr const char* peer_memory_name = "halo.peer_memory";
/// What is taken where so many bytes are wanted.
[[nodiscard]] constexpr std::size_t peer_memory_room(std::size_t bytes) {
  constexpr std::size_t least_bytes = std::size_t{4} << 20U;
  return std::max(bytes + bytes / 4, least_bytes);
}

}  // namespace nfold::halo
