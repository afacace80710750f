// A target's size as integers, for other ranks and for files.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "batch/target_size.hpp"

namespace nfold::batch {

inline constexpr std::size_t packed_numbers = 27;

/// to: (packed_numbers) All but the problem, which is a text. At most three parts.
void pack(const TargetSize& size, std::int64_t* to);
[[nodiscard]] TargetSize unpacked(const std::int64_t* from);

}  // namespace nfold::batch
