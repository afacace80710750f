// Hilbert curve through a cube of cells.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

namespace nfold::domain {

/// Index of a cell on the Hilbert curve through 2^bits cells along each axis, 0 to 2^(3 bits) - 1;
/// neighbours on the curve share a face. bits: 1 to 21, each coordinate below 2^bits. J. Skilling,
/// AIP Conference Proceedings 707, 381 (2004), doi:10.1063/1.1751381.
[[nodiscard]] std::uint64_t hilbert_index(std::array<std::uint32_t, 3> cell, int bits);

}  // namespace nfold::domain
