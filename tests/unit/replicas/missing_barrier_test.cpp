// An emulated block without the barrier that it needs: ThreadSanitizer must report it.
// SPDX-License-Identifier: BSD-3-Clause
//
// Or its silence about the resident kernel would say nothing.
#include <gtest/gtest.h>

#include <array>

#include "support/cuda/emulated_block.hpp"

namespace {

constexpr unsigned threads = 64;

/// Each thread writes a place and reads its neighbour's. Returns the sum of all that was read.
int sum_of_neighbours(bool waits) {
  std::array<int, threads> place{};
  int sum = 0;
  nfold::test::run_blocks(1, threads, [&] {
    place[threadIdx.x] = 1;
    if (waits) __syncthreads();
    atomicAdd(&sum, place[(threadIdx.x + 1) % threads]);
    __syncthreads();
  });
  return sum;
}

TEST(MissingBarrier, AllIsReadAfterABarrier) {
  EXPECT_EQ(sum_of_neighbours(true), static_cast<int>(threads));
}

// What is read is left open; ctest looks for the sanitizer's report.
TEST(MissingBarrier, IsReported) { EXPECT_LE(sum_of_neighbours(false), static_cast<int>(threads)); }

}  // namespace
