// CUDA thread block emulated by CPU threads, for tests of kernels without a GPU.
// SPDX-License-Identifier: BSD-3-Clause
//
// Include before a header of kernels/cuda. With tests/support/cuda as the first include path,
// headers with GPU assembly come from there. Each CUDA thread is a thread of the system, so
// barriers and atomic additions are tested, and -fsanitize=thread finds missing ones. Shuffles and
// clusters are not emulated; the speed means nothing.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace nfold::test {

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};

/// Barrier that sleeps at once. std::barrier yields first, which is slow for many threads on few
/// cores.
class SleepingBarrier {
 public:
  explicit SleepingBarrier(unsigned threads) {
    if (pthread_barrier_init(&barrier_, nullptr, threads) != 0) {
      throw std::runtime_error("no barrier of a block");
    }
  }
  SleepingBarrier(const SleepingBarrier&) = delete;
  SleepingBarrier& operator=(const SleepingBarrier&) = delete;
  ~SleepingBarrier() { pthread_barrier_destroy(&barrier_); }
  void arrive_and_wait() { pthread_barrier_wait(&barrier_); }

 private:
  pthread_barrier_t barrier_{};
};

/// State shared by the threads of one block.
class EmulatedBlock {
 public:
  explicit EmulatedBlock(unsigned threads) : all_(threads) {
    if (threads % 32 != 0) throw std::invalid_argument("a block of parts of warps");
    for (unsigned warp = 0; warp < threads / 32; ++warp) {
      warps_.push_back(std::make_unique<SleepingBarrier>(32));
    }
  }
  void sync_all() { all_.arrive_and_wait(); }
  void sync_warp(unsigned warp) { warps_[warp]->arrive_and_wait(); }
  bool any(bool mine) {
    auto& turn = flag_turn();
    if (mine) flag_[turn % 2] = true;
    sync_all();
    const bool found = flag_[turn % 2];
    flag_[++turn % 2] = false;  // no thread sets it before all have passed here
    sync_all();
    return found;
  }

  static EmulatedBlock*& current() {
    static thread_local EmulatedBlock* block = nullptr;
    return block;
  }

 private:
  static unsigned& flag_turn() {
    static thread_local unsigned turn = 0;
    return turn;
  }
  SleepingBarrier all_;
  std::vector<std::unique_ptr<SleepingBarrier>> warps_;
  std::atomic<bool> flag_[2] = {false, false};
};

}  // namespace nfold::test

// CUDA's built-in names, in the global namespace as in CUDA.
inline thread_local nfold::test::Index3 threadIdx, blockIdx, blockDim;

#define __device__
#define __global__
#define __shared__
#define __grid_constant__
#define __noinline__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct alignas(16) float4 {
  float x, y, z, w;
};
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }

inline void __syncthreads() { nfold::test::EmulatedBlock::current()->sync_all(); }
inline void __syncwarp() { nfold::test::EmulatedBlock::current()->sync_warp(threadIdx.x / 32); }
inline int __syncthreads_or(int mine) {
  return nfold::test::EmulatedBlock::current()->any(mine != 0) ? 1 : 0;
}
inline int atomicAdd(int* to, int n) {
  // Integer sums of a GPU wrap around.
  auto* const bits = reinterpret_cast<unsigned*>(to);
  return static_cast<int>(std::atomic_ref<unsigned>(*bits).fetch_add(static_cast<unsigned>(n)));
}
inline int atomicOr(int* to, int bits) { return std::atomic_ref<int>(*to).fetch_or(bits); }
inline int atomicMax(int* to, int n) {
  const std::atomic_ref<int> at(*to);
  int before = at.load();
  while (before < n && !at.compare_exchange_weak(before, n)) {
  }
  return before;
}
inline int __clz(int bits) { return std::countl_zero(static_cast<unsigned>(bits)); }
inline int __popc(unsigned bits) { return __builtin_popcount(bits); }
/// Rounds to nearest, ties to even. Saturates beyond the range of int; returns 0 for NaN.
inline int __float2int_rn(float x) {
  if (std::isnan(x)) return 0;
  const double nearest = std::nearbyint(static_cast<double>(x));
  return static_cast<int>(std::clamp<double>(nearest, std::numeric_limits<int>::min(),
                                             std::numeric_limits<int>::max()));
}
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(
      (static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32U) |
      static_cast<std::uint32_t>(low));
}

namespace nfold::test {

/// Runs kernel() for each thread of each block, one block after another.
template <class Kernel>
void run_blocks(unsigned blocks, unsigned threads, const Kernel& kernel) {
  for (unsigned b = 0; b < blocks; ++b) {
    EmulatedBlock block(threads);
    std::vector<std::jthread> all;
    all.reserve(threads);
    for (unsigned t = 0; t < threads; ++t) {
      all.emplace_back([&, b, t] {
        EmulatedBlock::current() = &block;
        threadIdx = {t, 0, 0};
        blockIdx = {b, 0, 0};
        blockDim = {threads, 1, 1};
        kernel();
      });
    }
  }
}

}  // namespace nfold::test
