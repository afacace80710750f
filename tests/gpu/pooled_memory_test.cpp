// Memory of arrays: zero in new ones, reserved by a thread or for a run, or pinned on the host.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/graph_capture.hpp"
#include "device/cuda/work_stream.hpp"
#include "device/device_array.hpp"
#include "device/device_memory.hpp"
#include "device/job_devices.hpp"
#include "device/launch.hpp"
#include "kernels/resident/replica_positions.hpp"
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

/// Scope in which arrays of every movable use stand in pinned host memory.
struct MovedArrays {
  MovedArrays() { set_moved_uses(moving_order.size()); }
  ~MovedArrays() { set_moved_uses(0); }
};

/// Adds 1 to an element many times over, by atomics of many threads.
struct AddOnes {
  std::int64_t* counts;
  int elements;
  NFOLD_FUNCTION void operator()(int item) const {
    kernels::add_count(counts + item % elements, 1);
  }
};

TEST(PinnedMemory, KernelsReadWriteAndCount) {
  const MovedArrays moved;
  constexpr int n = 1000, times = 640;
  const auto held = device_bytes_held();
  DeviceArray<std::int64_t> counts("counts", ArrayUse::accumulators), copy("copy");
  counts.reserve(n);
  EXPECT_EQ(device_bytes_held(), held);
  EXPECT_EQ(counts.download(n), std::vector<std::int64_t>(n, 0));
  launch("ones", n * times, AddOnes{counts.data(), n});
  copy.reserve(n);
  copy.copy_from(counts, n);
  fence();
  EXPECT_EQ(copy.download(n), std::vector<std::int64_t>(n, times));
  EXPECT_EQ(counts.download(n), std::vector<std::int64_t>(n, times));
  counts.fill(5);
  EXPECT_TRUE(counts.reserve_keeping(n + 1));
  EXPECT_EQ(counts.element(n - 1), 5);
  EXPECT_EQ(counts.element(n), 0);
  counts.set(0, 9);
  EXPECT_EQ(counts.element(0), 9);
}

TEST(PinnedMemory, TakesNoMemoryOfTheGpu) {
  constexpr std::int64_t large = 512 * mebibyte, small_change = 64 * mebibyte;
  DeviceArray<int>("first").reserve(1);  // creates the pool
  const auto before = device_memory().free_bytes;
  const MovedArrays moved;
  DeviceArray<std::int64_t> array("array", ArrayUse::spare_buffers);
  array.reserve(large / 8);
  EXPECT_GE(device_memory().free_bytes, before - small_change);
}

TEST(PinnedMemory, ThreadFreesItDuringCapture) {
  DeviceArray<int> counted("counted");
  counted.reserve(1);
  const CaptureStream recorder;
  const auto graph = recorder.captured([&] {
    std::async(std::launch::async, [] {
      const WorkStream stream;
      stream.run([] {
        const MovedArrays moved;
        DeviceArray<int> array("array", ArrayUse::spare_buffers);
        array.upload({1, 2, 3});
      });
    }).get();
    check_cuda(cudaMemsetAsync(counted.data(), 1, sizeof(int), device_stream()), "a step");
  });
  check_cuda(cudaGraphLaunch(graph.get(), nullptr), "starting a graph");
  check_cuda(cudaDeviceSynchronize(), "a graph");
  EXPECT_EQ(counted.element(0), 0x01010101);
}

TEST(MemoryPool, HoldsItsBytesUntilTheEnd) {
  constexpr std::int64_t large = 512 * mebibyte, small_change = 64 * mebibyte;
  const auto before = device_memory().free_bytes;
  {
    const MemoryPool pool(large);
    EXPECT_LE(device_memory().free_bytes, before - large + small_change);
    EXPECT_LT(pool.peak_bytes(), small_change);
    {
      const auto kept = device_memory().free_bytes;
      DeviceArray<std::int64_t> array("array");
      array.reserve(large / 16);
      EXPECT_GE(device_memory().free_bytes, kept - small_change) << "the array is in the pool";
    }
    EXPECT_LE(device_memory().free_bytes, before - large + small_change) << "kept when it is freed";
    EXPECT_GE(pool.peak_bytes(), large / 2);
    const JobDevices devices{comm::Communicator()};
    limit_device_memory(0);
    EXPECT_GE(free_memory(devices).device_bytes, before - small_change) << "free for arrays";
  }
  EXPECT_GE(device_memory().free_bytes, before - small_change);
}

TEST(MemoryPool, RefusesMoreThanTheGpuHas) {
  try {
    const MemoryPool pool(std::int64_t{1} << 42U);
    FAIL() << "no error";
  } catch (const DeviceMemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("devices.memory_pool_mb: 4 TiB are to be reserved"),
              std::string::npos)
        << error.what();
  }
  DeviceArray<int> array("array");
  EXPECT_TRUE(array.reserve(10));
}

}  // namespace
}  // namespace nfold::device
