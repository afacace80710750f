// Hilbert index of a cell: undo the excess rotations, Gray-encode, interleave.
// SPDX-License-Identifier: BSD-3-Clause

#include "domain/hilbert.hpp"

#include <cstddef>

namespace nfold::domain {

std::uint64_t hilbert_index(std::array<std::uint32_t, 3> cell, int bits) {
  const std::uint32_t highest = std::uint32_t{1} << static_cast<unsigned>(bits - 1);
  for (std::uint32_t bit = highest; bit > 1; bit >>= 1U) {
    const std::uint32_t below = bit - 1;
    for (auto& axis : cell) {
      if ((axis & bit) != 0) {
        cell[0] ^= below;
      } else {
        const std::uint32_t exchanged = (cell[0] ^ axis) & below;
        cell[0] ^= exchanged;
        axis ^= exchanged;
      }
    }
  }
  cell[1] ^= cell[0];
  cell[2] ^= cell[1];
  std::uint32_t flip = 0;
  for (std::uint32_t bit = highest; bit > 1; bit >>= 1U) {
    if ((cell[2] & bit) != 0) flip ^= bit - 1;
  }
  std::uint64_t index = 0;
  for (std::uint32_t bit = highest; bit > 0; bit >>= 1U) {
    for (const auto axis : cell) index = (index << 1U) | (((axis ^ flip) & bit) != 0 ? 1U : 0U);
  }
  return index;
}

}  // namespace nfold::domain
