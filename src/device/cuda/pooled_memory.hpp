// GPU memory from a pool of this process, which a thread can fill in advance.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace nfold::device {

/// Allocator of a piece of memory. MPI libraries that take device memory need the driver's.
enum class MemoryOrigin { pool, driver };

/// Piece of memory on Kokkos' device, for kernels and copies of any stream. From the driver if the
/// GPU supports no pools. Reported to Kokkos profiling tools.
class PooledMemory {
 public:
  PooledMemory() = default;
  /// Contents are undefined. Throws std::bad_alloc if the device has too little memory.
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

}  // namespace nfold::device
