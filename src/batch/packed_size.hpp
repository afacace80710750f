// Packing of a TargetSize into integers, for messages to other ranks and for cache files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "batch/target_size.hpp"

namespace nfold::batch {

inline constexpr std::size_t packed_numbers = 27;

/// Packs all members except the texts. to: (packed_numbers). At most three parts.
void pack(const TargetSize& size, std::int64_t* to);
[[nodiscard]] TargetSize unpack(const std::int64_t* from);

}  // namespace nfold::batch
