// Hilbert curve: each cell once, in steps to face neighbours.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/hilbert.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

namespace nfold::domain {
namespace {

TEST(Hilbert, VisitsEveryCellInSingleSteps) {
  for (const int bits : {1, 2, 3, 4}) {
    const std::uint32_t side = 1U << static_cast<unsigned>(bits);
    std::vector<std::array<std::uint32_t, 3>> cell_at(std::size_t{side} * side * side);
    std::vector<int> visits(cell_at.size(), 0);
    for (std::uint32_t x = 0; x < side; ++x) {
      for (std::uint32_t y = 0; y < side; ++y) {
        for (std::uint32_t z = 0; z < side; ++z) {
          const auto index = hilbert_index({x, y, z}, bits);
          ASSERT_LT(index, cell_at.size());
          cell_at[index] = {x, y, z};
          ++visits[index];
        }
      }
    }
    EXPECT_EQ(visits, std::vector<int>(visits.size(), 1));
    for (std::size_t visit = 1; visit < cell_at.size(); ++visit) {
      int steps = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        steps +=
            std::abs(static_cast<int>(cell_at[visit][k]) - static_cast<int>(cell_at[visit - 1][k]));
      }
      EXPECT_EQ(steps, 1) << visit;
    }
  }
}

TEST(Hilbert, KeepsOrderUnderRefinement) {
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    const std::array<std::uint32_t, 3> cell{
        (seed * 2654435761U) >> 11U, (seed * 40503U) & 0x1fffffU, (seed * seed * 97U) & 0x1fffffU};
    // A curve with three more levels starts in the same orientation.
    EXPECT_EQ(hilbert_index(cell, 21) >> 9U,
              hilbert_index({cell[0] >> 3U, cell[1] >> 3U, cell[2] >> 3U}, 18))
        << seed;
  }
}

}  // namespace
}  // namespace nfold::domain
