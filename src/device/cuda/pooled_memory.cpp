// Memory pool of the process, by CUDA's stream-ordered allocator.
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

/// Pool whose allocations and frees are ordered on one stream, on which nothing else runs: freed
/// memory is available to the next array at once, and allocated memory to all streams.
class Pool {
 public:
  /// Returns the pool, which outlives every array, including those of static objects.
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
      (void)cudaGetLastError();  // clears the error for later checks
      throw std::bad_alloc();
    }
    check_cuda(code, "taking memory");
    return data;
  }
  /// Ignores errors, since destructors call it; the next call reports a failed GPU.
  void give_back(void* data, MemoryOrigin origin) {
    if (origin == MemoryOrigin::pinned) {
      wait_for_users();
      (void)cudaFreeHost(data);
    } else if (origin == MemoryOrigin::driver || pool_ == nullptr) {
      (void)cudaFree(data);
    } else {
      wait_for_users();
      give_back_unused(data);
    }
  }

  /// Allocates memory and frees it, so that the pool holds it. Returns false if the GPU refuses.
  bool fill(std::size_t bytes) {
    void* data = nullptr;
    if (bytes == 0) return true;
    if (pool_ == nullptr) return false;
    if (cudaMallocFromPoolAsync(&data, bytes, pool_, stream_) != cudaSuccess) {
      (void)cudaGetLastError();
      return false;
    }
    give_back_unused(data);
    return true;
  }
  void begin_keeping() {
    const std::lock_guard lock(mutex_);
    if (++keepers_ == 1) keep(std::numeric_limits<std::uint64_t>::max());
  }
  void end_keeping() {
    const std::lock_guard lock(mutex_);
    if (--keepers_ == 0) trim();
  }
  /// Sets the bytes that the pool keeps whatever is freed; at least usually_kept_bytes.
  void set_kept_bytes(std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    kept_bytes_ = std::max(bytes, usually_kept_bytes);
    if (keepers_ == 0) trim();
  }
  /// Returns the bytes of a reservation that no array uses; 0 without a reservation.
  std::int64_t unused_bytes() {
    const std::lock_guard lock(mutex_);
    if (kept_bytes_ == usually_kept_bytes) return 0;
    return read(cudaMemPoolAttrReservedMemCurrent) - read(cudaMemPoolAttrUsedMemCurrent);
  }
  std::int64_t peak_bytes() { return read(cudaMemPoolAttrUsedMemHigh); }
  void forget_peak() {
    std::uint64_t none = 0;
    if (pool_ != nullptr) {
      (void)cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrUsedMemHigh, &none);
    }
  }

 private:
  /// Memory that the pool always keeps, so that small short-lived arrays cost nothing.
  static constexpr std::uint64_t usually_kept_bytes = std::uint64_t{32} << 20U;

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
    keep(kept_bytes_);
  }

  /// A thread with its own stream must not wait for the whole device, where steps may be captured.
  static void wait_for_users() {
    if (const auto* const space = copying_space()) {
      (void)cudaStreamSynchronize(space->cuda_stream());
    } else {
      (void)cudaDeviceSynchronize();
    }
  }
  void give_back_unused(void* data) {
    (void)cudaFreeAsync(data, stream_);
    // Returns memory beyond the release threshold to the GPU.
    if (!keeps_all()) (void)cudaStreamSynchronize(stream_);
  }
  cudaError_t try_to_take(void** data, std::size_t bytes, MemoryOrigin origin) {
    if (origin == MemoryOrigin::pinned) return cudaHostAlloc(data, bytes, cudaHostAllocMapped);
    if (origin == MemoryOrigin::driver || pool_ == nullptr) return cudaMalloc(data, bytes);
    const auto code = cudaMallocFromPoolAsync(data, bytes, pool_, stream_);
    return code == cudaSuccess ? cudaStreamSynchronize(stream_) : code;
  }
  void keep(std::uint64_t bytes) {
    if (pool_ == nullptr) return;
    check_cuda(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &bytes),
               "setting what a pool of memory keeps");
  }
  /// Returns memory beyond what the pool keeps to the GPU.
  void trim() {
    if (pool_ == nullptr) return;
    keep(kept_bytes_);
    (void)cudaStreamSynchronize(stream_);  // completes pending frees
    (void)cudaMemPoolTrimTo(pool_, kept_bytes_);
  }
  [[nodiscard]] std::int64_t read(cudaMemPoolAttr attribute) const {
    std::uint64_t bytes = 0;
    if (pool_ != nullptr) (void)cudaMemPoolGetAttribute(pool_, attribute, &bytes);
    return static_cast<std::int64_t>(bytes);
  }
  bool keeps_all() {
    const std::lock_guard lock(mutex_);
    return keepers_ > 0;
  }

  cudaMemPool_t pool_ = nullptr;  // null: the GPU supports no pools
  cudaStream_t stream_ = nullptr;
  std::mutex mutex_;
  int keepers_ = 0;
  std::uint64_t kept_bytes_ = usually_kept_bytes;
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

PoolReservation::PoolReservation(std::int64_t bytes) {
  auto& pool = Pool::of_process();
  pool.begin_keeping();
  (void)pool.fill(static_cast<std::size_t>(std::max<std::int64_t>(0, bytes)));
}

PoolReservation::~PoolReservation() { Pool::of_process().end_keeping(); }

bool reserve_pool(std::int64_t bytes) {
  auto& pool = Pool::of_process();
  pool.set_kept_bytes(static_cast<std::uint64_t>(bytes));
  const bool is_filled = pool.fill(static_cast<std::size_t>(bytes));
  pool.forget_peak();
  return is_filled;
}
void release_pool() { Pool::of_process().set_kept_bytes(0); }
std::int64_t unused_pool_bytes() { return Pool::of_process().unused_bytes(); }
std::int64_t pool_bytes_peak() { return Pool::of_process().peak_bytes(); }

}  // namespace nfold::device
