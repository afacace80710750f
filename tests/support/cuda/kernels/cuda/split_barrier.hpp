// Split barrier of emulated blocks; replaces kernels/cuda/split_barrier.hpp.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "support/cuda/emulated_block.hpp"

namespace nfold::kernels {

class SplitBarrier {
 public:
  explicit SplitBarrier(void* shared) : word_(static_cast<std::uint64_t*>(shared)) {}

  void init() const { word() = blockDim.x * one_expected; }
  void arrive() const {
    auto now = word().load();
    for (bool done = false; !done;) {
      const auto expected = now / one_expected % most, arrived = now % most + 1;
      const auto next = arrived == expected ? now - (arrived - 1) + one_phase : now + 1;
      done = word().compare_exchange_weak(now, next);
    }
    word().notify_all();
  }
  void wait(unsigned parity) const {
    for (auto now = word().load(); (now / one_phase) % 2 == parity % 2; now = word().load()) {
      word().wait(now);
    }
  }

 private:
  // Fields of the word: completed phases, expected arrivals, arrivals so far.
  static constexpr std::uint64_t most = 1U << 12U, one_expected = most, one_phase = most * most;
  [[nodiscard]] std::atomic_ref<std::uint64_t> word() const {
    return std::atomic_ref<std::uint64_t>(*word_);
  }
  std::uint64_t* word_;
};

}  // namespace nfold::kernels
