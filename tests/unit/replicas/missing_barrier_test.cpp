// Emulated block without the barrier that it needs.
// SPDX-License-Identifier: BSD-3-Clause
//
// ThreadSanitizer must report it. Otherwise its silence about the resident kernel proves nothing.
#include <gtest/gtest.h>

#include <array>

#include "support/cuda/emulated_block.hpp"

namespace {

constexpr unsigned threads = 64;

/// Each thread writes an entry and reads its neighbour's. Returns the sum of the values read.
int sum_of_neighbours(bool waits) {
  std::array<int, threads> entry{};
  int sum = 0;
  nfold::test::run_blocks(1, threads, [&] {
    entry[threadIdx.x] = 1;
    if (waits) __syncthreads();
    atomicAdd(&sum, entry[(threadIdx.x + 1) % threads]);
    __syncthreads();
  });
  return sum;
}

TEST(MissingBarrier, BarrierMakesWritesVisible) {
  EXPECT_EQ(sum_of_neighbours(true), static_cast<int>(threads));
}

// The sum is undefined. ctest searches the output for the sanitizer's report.
TEST(MissingBarrier, RaceIsReported) {
  EXPECT_LE(sum_of_neighbours(false), static_cast<int>(threads));
}

}  // namespace
