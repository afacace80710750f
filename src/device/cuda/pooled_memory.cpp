// One pool a process, by the stream-ordered allocator of CUDA.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/cuda/pooled_memory.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include "device/launch.hpp"

namespace nfold::device {
namespace {

/// All is taken and given back in the order of one stream, on which nothing else runs: what is
/// given back is free for the next array at once, and what is taken is there for all streams.
class Pool {
 public:
  /// Outlives every array, those of static objects too.
  static Pool& of_process() {
    static auto* const one = new Pool;
    return *one;
  }

  void* take(std::size_t bytes, MemoryOrigin origin) {
    void* data = nullptr;
    auto code = try_to_take(&data, bytes, origin);
    if (code == cudaErrorMemoryAllocation && pool_ != nullptr) {
      (void)cudaMemPoolTrimTo(pool_, 0);
      code = try_to_take(&data, bytes, origin);
    }
    if (code == cudaErrorMemoryAllocation) {
      (void)cudaGetLastError();  // else a later check meets it
      throw std::bad_alloc();
    }
    check_cuda(code, "taking memory");
    return data;
  }
  /// As in destructors: a GPU that fails is told of by the next call.
  void give_back(void* data, MemoryOrigin origin) {
    if (origin == MemoryOrigin::driver || pool_ == nullptr) {
      (void)cudaFree(data);
      return;
    }
    // All of the device is not to be waited for by a thread, beside which steps may be recorded.
    if (const auto* const space = copying_space()) {
      (void)cudaStreamSynchronize(space->cuda_stream());
    } else {
      (void)cudaDeviceSynchronize();
    }
    give_back_unused(data);
  }

  /// Takes memory and gives it back, so that the pool has it.
  void fill(std::size_t bytes) {
    void* data = nullptr;
    if (pool_ == nullptr || bytes == 0) return;
    if (cudaMallocFromPoolAsync(&data, bytes, pool_, stream_) == cudaSuccess) {
      give_back_unused(data);
    } else {
      (void)cudaGetLastError();
    }
  }
  void begin_keeping() {
    const std::lock_guard lock(mutex_);
    if (++keepers_ == 1) keep(std::numeric_limits<std::uint64_t>::max());
  }
  void end_keeping() {
    const std::lock_guard lock(mutex_);
    if (--keepers_ > 0) return;
    if (pool_ == nullptr) return;
    keep(kept_bytes);
    (void)cudaStreamSynchronize(stream_);  // what was given back is back then
    (void)cudaMemPoolTrimTo(pool_, kept_bytes);
  }

 private:
  /// Always kept, so that small arrays that come and go cost nothing.
  static constexpr std::uint64_t kept_bytes = std::uint64_t{32} << 20U;

  Pool() {
    const int device = Space().cuda_device();
    int has_pools = 0;
    check_cuda(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device),
               "asking for pools of memory");
    if (has_pools == 0) return;
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    check_cuda(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
    check_cuda(cudaMemPoolCreate(&pool_, &properties), "making a pool of memory");
    keep(kept_bytes);
  }

  void give_back_unused(void* data) {
    (void)cudaFreeAsync(data, stream_);
    // Gives the GPU what is beyond the threshold.
    if (!keeps_all()) (void)cudaStreamSynchronize(stream_);
  }
  cudaError_t try_to_take(void** data, std::size_t bytes, MemoryOrigin origin) {
    if (origin == MemoryOrigin::driver || pool_ == nullptr) return cudaMalloc(data, bytes);
    const auto code = cudaMallocFromPoolAsync(data, bytes, pool_, stream_);
    return code == cudaSuccess ? cudaStreamSynchronize(stream_) : code;
  }
  void keep(std::uint64_t bytes) {
    if (pool_ == nullptr) return;
    check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &bytes),
               "setting what a pool of memory keeps");
  }
  bool keeps_all() {
    const std::lock_guard lock(mutex_);
    return keepers_ > 0;
  }

  cudaMemPool_t pool_ = nullptr;  // null: the GPU has none
  cudaStream_t stream_ = nullptr;
  std::mutex mutex_;
  int keepers_ = 0;
};

Kokkos::Tools::SpaceHandle space_for_tools() {
  return Kokkos::Tools::make_space_handle(Space::memory_space::name());
}

}  // namespace

PooledMemory::PooledMemory(std::string label, std::size_t bytes, MemoryOrigin origin)
    : label_(std::move(label)),
      data_(Pool::of_process().take(bytes, origin)),
      bytes_(bytes),
      origin_(origin) {
  if (Kokkos::Tools::profileLibraryLoaded()) {
    Kokkos::Tools::allocateData(space_for_tools(), label_, data_, bytes_);
  }
}

PooledMemory::~PooledMemory() {
  if (data_ == nullptr) return;
  if (Kokkos::Tools::profileLibraryLoaded()) {
    Kokkos::Tools::deallocateData(space_for_tools(), label_, data_, bytes_);
  }
  Pool::of_process().give_back(data_, origin_);
}

ReadyMemory::ReadyMemory(std::int64_t bytes) {
  auto& pool = Pool::of_process();
  pool.begin_keeping();
  pool.fill(static_cast<std::size_t>(std::max<std::int64_t>(0, bytes)));
}

ReadyMemory::~ReadyMemory() { Pool::of_process().end_keeping(); }

}  // namespace nfold::device
