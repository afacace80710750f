// GPU memory from a pool of this process, which a thread can fill in advance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace nfold::device {

/// Allocator of a piece of memory. MPI libraries that take device memory need the driver's.
/// pinned: host memory, which the GPU reads and writes at the same address.
enum class MemoryOrigin { pool, driver, pinned };

/// Piece of memory for kernels and copies of any stream: on Kokkos' device, or pinned on the host.
/// From the driver if the GPU supports no pools. Reported to Kokkos profiling tools.
class PooledMemory {
 public:
  PooledMemory() = default;
  /// Contents are undefined. Throws std::bad_alloc if there is too little memory.
  PooledMemory(std::string label, std::size_t bytes, MemoryOrigin origin);
  /// Waits for pending users: the whole device, or the copying_space() of this thread.
  ~PooledMemory();
  PooledMemory(PooledMemory&& other) noexcept { *this = std::move(other); }
  PooledMemory& operator=(PooledMemory&& other) noexcept {
    std::swap(label_, other.label_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(origin_, other.origin_);
    return *this;
  }
  [[nodiscard]] void* data() const { return data_; }

 private:
  std::string label_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  MemoryOrigin origin_ = MemoryOrigin::pool;
};

/// Keeps freed memory in the pool for its lifetime, and allocates `bytes` for the pool in advance.
/// Arrays then grow in microseconds rather than a tenth of a millisecond each. No array counts
/// these bytes; they return to the GPU at the end.
class PoolReservation {
 public:
  /// May run in any thread. Allocates nothing if the GPU refuses.
  explicit PoolReservation(std::int64_t bytes);
  ~PoolReservation();
  PoolReservation(const PoolReservation&) = delete;
  PoolReservation& operator=(const PoolReservation&) = delete;
};

/// Sets the bytes that the pool keeps until release_pool(), and allocates them. Returns false if
/// the GPU refuses.
[[nodiscard]] bool reserve_pool(std::int64_t bytes);
void release_pool();
/// Returns the bytes of reserve_pool() that no array uses; 0 if there is no such reservation.
[[nodiscard]] std::int64_t unused_pool_bytes();
/// Returns the peak of the bytes that arrays used since reserve_pool().
[[nodiscard]] std::int64_t pool_bytes_peak();

}  // namespace nfold::device
