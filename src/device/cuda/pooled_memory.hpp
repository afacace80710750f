// Memory of the GPU from a pool of this process, and what a thread makes ready for arrays to come.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace nfold::device {

/// Where a piece comes from: MPI libraries that take device memory ask for the driver's.
enum class MemoryOrigin { pool, driver };

/// One piece of memory of Kokkos' device, for kernels and copies of any stream. Where the GPU has
/// no pools all comes from the driver. Tools that profile Kokkos programs are told of it.
class PooledMemory {
 public:
  PooledMemory() = default;
  /// Contents are undefined. Throws std::bad_alloc where the device has no room.
  PooledMemory(std::string label, std::size_t bytes, MemoryOrigin origin);
  /// Waits for those who may still use it: all of the device, or the copying_space() of this
  /// thread.
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

/// In its life the pool keeps what arrays give back, and has had `bytes` from the GPU beforehand.
/// Arrays grow in microseconds then, not in a tenth of a millisecond each. No array counts these
/// bytes; the GPU has them back at the end.
class ReadyMemory {
 public:
  /// In any thread. Takes nothing where the GPU refuses.
  explicit ReadyMemory(std::int64_t bytes);
  ~ReadyMemory();
  ReadyMemory(const ReadyMemory&) = delete;
  ReadyMemory& operator=(const ReadyMemory&) = delete;
};

}  // namespace nfold::device
