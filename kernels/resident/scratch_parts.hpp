// Partition of a thread's scratch memory into arrays.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

namespace nfold::kernels {

/// Hands out consecutive parts of a scratch memory; without a memory it counts their bytes.
class ScratchParts {
 public:
  explicit ScratchParts(std::byte* memory) : memory_(memory) {}
  template <class T>
  void take(std::int64_t n, T*& part) {
    constexpr std::int64_t line = 64;
    part = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    bytes_ += (n * static_cast<std::int64_t>(sizeof(T)) + line - 1) / line * line;
  }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  std::byte* memory_;
  std::int64_t bytes_ = 0;
};

}  // namespace nfold::kernels
