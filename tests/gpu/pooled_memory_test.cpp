// Pooled memory of arrays: zero in new arrays, and available after a reservation by a thread.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "device/cuda/graph_capture.hpp"
#include "device/cuda/work_stream.hpp"
#include "device/device_array.hpp"
#include "device/device_memory.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::device {
namespace {

const auto* const scope = test::start_kokkos();

constexpr std::int64_t mebibyte = std::int64_t{1} << 20U;

TEST(PooledMemory, IsZeroInNewArrays) {
  constexpr std::int64_t n = 100'000;
  for (int turn = 0; turn < 3; ++turn) {
    DeviceArray<int> array("array");
    array.reserve(n);
    EXPECT_EQ(array.download(n), std::vector<int>(n, 0)) << turn;
    array.fill(7);
  }
}

TEST(PooledMemory, KeepsElementsOnRequest) {
  DeviceArray<int> array("array");
  array.upload({1, 2, 3});
  EXPECT_TRUE(array.reserve_keeping(5));
  EXPECT_EQ(array.download(5), (std::vector<int>{1, 2, 3, 0, 0}));
}

TEST(PooledMemory, ReturnsToTheGpu) {
  constexpr std::int64_t large = 512 * mebibyte, small_change = 64 * mebibyte;
  const auto free_bytes = [] { return device_memory().free_bytes; };
  const auto before = free_bytes();
  {
    DeviceArray<std::int64_t> array("array");
    array.reserve(large / 8);
    EXPECT_LE(free_bytes(), before - large + small_change);
  }
  EXPECT_GE(free_bytes(), before - small_change);
  {
    std::optional<PoolReservation> ready;
    std::async(std::launch::async, [&] {
      const WorkStream stream;
      ready.emplace(large);
    }).get();
    EXPECT_LE(free_bytes(), before - large + small_change);
    const auto kept = free_bytes();
    DeviceArray<std::int64_t> array("array");
    array.reserve(large / 8);
    EXPECT_GE(free_bytes(), kept - small_change);  // the array uses the reserved memory
  }
  EXPECT_GE(free_bytes(), before - small_change);
}

/// Synchronising the whole device would invalidate another thread's capture.
TEST(PooledMemory, ThreadFreesMemoryDuringCapture) {
  DeviceArray<int> counted("counted");
  counted.reserve(1);
  const CaptureStream recorder;
  const auto graph = recorder.captured([&] {
    std::async(std::launch::async, [] {
      const WorkStream stream;
      stream.run([] {
        DeviceArray<int> array("array");
        array.upload({1, 2, 3});
      });
      const PoolReservation ready(mebibyte);
    }).get();
    check_cuda(cudaMemsetAsync(counted.data(), 1, sizeof(int), device_stream()), "a step");
  });
  check_cuda(cudaGraphLaunch(graph.get(), nullptr), "starting a graph");
  check_cuda(cudaDeviceSynchronize(), "a graph");
  EXPECT_EQ(counted.element(0), 0x01010101);
}

TEST(PooledMemory, ThrowsIfTooLargeAndRecovers) {
  DeviceArray<std::int64_t> array("large");
  EXPECT_THROW(array.reserve(std::int64_t{1} << 42U), DeviceMemoryError);
  EXPECT_EQ(array.size(), 0);
  EXPECT_TRUE(array.reserve(10));
  EXPECT_EQ(array.element(9), 0);
}

}  // namespace
}  // namespace nfold::device
