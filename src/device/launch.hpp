// Kernel launch on the execution space; a plain loop on one CPU thread.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <vector>

#include "device/device_array.hpp"

namespace nfold::device {

#ifdef KOKKOS_ENABLE_CUDA
/// Throws std::runtime_error with the name of the failed call.
inline void check_cuda(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  throw std::runtime_error(fmt::format("GPU: {} failed: {} ({})", what, cudaGetErrorString(code),
                                       cudaGetErrorName(code)));
}
#endif

/// Loop over every stride-th item on one CPU thread, which spreads unequal items evenly.
template <class Loop>
struct StridedLoop {
  Loop loop;
  int items, stride;
  KOKKOS_FUNCTION void operator()(int thread) const {
    const Loop own = loop;
    for (int item = thread; item < items; item += stride) own(item);
  }
};

/// Restricts the loops of this thread to this thread for its lifetime, since other threads have
/// their own work.
class SingleThreadLoops {
 public:
  SingleThreadLoops() : before_(is_active()) { is_active() = true; }
  ~SingleThreadLoops() { is_active() = before_; }
  SingleThreadLoops(const SingleThreadLoops&) = delete;
  SingleThreadLoops& operator=(const SingleThreadLoops&) = delete;

  [[nodiscard]] static bool& is_active() {
    static thread_local bool here = false;
    return here;
  }

 private:
  bool before_;
};
/// Returns the CPU threads that share a loop.
inline int loop_threads() { return SingleThreadLoops::is_active() ? 1 : Space().concurrency(); }

/// Calls work(k) once for each k < n, distributed dynamically over CPU threads if n is at least
/// their number. Rethrows the exception of the lowest k.
template <class Work>
void for_each_concurrently(int n, const Work& work) {
#ifdef KOKKOS_ENABLE_OPENMP
  const int threads = on_host ? loop_threads() : 1;
  if (threads > 1 && n >= threads) {
    std::vector<std::exception_ptr> failed(static_cast<std::size_t>(n));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int k = 0; k < n; ++k) {
      const SingleThreadLoops alone;
      try {
        work(k);
      } catch (...) {
        failed[static_cast<std::size_t>(k)] = std::current_exception();
      }
    }
    for (const auto& one : failed) {
      if (one) std::rethrow_exception(one);
    }
    return;
  }
#endif
  for (int k = 0; k < n; ++k) work(k);
}

/// Execution space for work concurrent with the steps (cuda/side_stream.hpp), or null.
inline const Space*& execution_space_override() {
  static thread_local const Space* space = nullptr;
  return space;
}
/// Returns the execution space of this thread's Kokkos launches and copies.
inline Space execution_space() {
  return execution_space_override() == nullptr ? Space() : *execution_space_override();
}

#ifdef KOKKOS_ENABLE_CUDA
/// Returns the stream of this thread's kernels: that of execution_space(), or one under capture.
inline cudaStream_t& device_stream() {
  static thread_local cudaStream_t stream = Space().cuda_stream();
  return stream;
}
inline constexpr int loop_block = 64;
template <class Loop>
__global__ void __launch_bounds__(loop_block)
    run_loop(int items, const __grid_constant__ Loop loop) {
  const int item = static_cast<int>(blockIdx.x) * loop_block + static_cast<int>(threadIdx.x);
  kernels::wait_for_previous_kernel();
  if (item < items) loop(item);
}
/// Loop that prepares each item from data that the previous kernel does not write, while that
/// kernel still runs.
template <class Loop>
__global__ void __launch_bounds__(loop_block)
    run_prepared_loop(int items, const __grid_constant__ Loop loop) {
  const int item = static_cast<int>(blockIdx.x) * loop_block + static_cast<int>(threadIdx.x);
  typename Loop::Prepared prepared{};
  if (item < items) prepared = loop.prepare(item);
  kernels::wait_for_previous_kernel();
  if (item < items) loop.complete(item, prepared);
}
/// Launches a kernel that calls wait_for_previous_kernel() before it writes anything or reads data
/// that the previous kernel may write.
template <class... Parameters, class... Arguments>
void start_kernel(const char* label, void (*kernel)(Parameters...), int blocks, int threads,
                  const Arguments&... arguments) {
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = device_stream();
  config.attrs = &overlap;
  config.numAttrs = 1;
  check_cuda(cudaLaunchKernelEx(&config, kernel, arguments...), label);
}
#endif

template <class Loop>
void launch(const char* label, int items, const Loop& loop) {
  if (items <= 0) return;
  if constexpr (on_host) {
    const int threads = std::min(loop_threads(), items);
    const StridedLoop<Loop> strided{loop, items, threads};
    if (threads == 1) {
      strided(0);
    } else {
      Kokkos::parallel_for(
          label, Kokkos::RangePolicy<Space, Kokkos::Schedule<Kokkos::Static>>(0, threads), strided);
    }
  } else {
#ifdef KOKKOS_ENABLE_CUDA
    // Not through Kokkos, whose launches cannot all be captured into a graph.
    const auto start = [&](auto* kernel) {
      start_kernel(label, kernel, (items + loop_block - 1) / loop_block, loop_block, items, loop);
    };
    if constexpr (requires { typename Loop::Prepared; }) {
      start(run_prepared_loop<Loop>);
    } else {
      start(run_loop<Loop>);
    }
#endif
  }
}

/// Returns exact sums over all items of the loop.
template <class Loop>
[[nodiscard]] typename Loop::Sums sum_over(const char* label, int items, const Loop& loop) {
  typename Loop::Sums sums;
  if (on_host && loop_threads() == 1) {
    for (int item = 0; item < items; ++item) loop(item, sums);
  } else if (items > 0) {
    Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Space>(execution_space(), 0, items), loop,
                            sums);
  }
  return sums;
}

/// Returns the largest value that the loop finds in any item, at least 0.
template <class T, class Loop>
[[nodiscard]] T largest_over(const char* label, int items, const Loop& loop) {
  T largest = 0;
  if (items > 0) {
    Kokkos::parallel_reduce(label, Kokkos::RangePolicy<Space>(execution_space(), 0, items), loop,
                            Kokkos::Max<T>(largest));
  }
  return std::max(T{0}, largest);
}

/// Waits for the work submitted to execution_space().
inline void fence() {
  if constexpr (!on_host) execution_space().fence();
}

}  // namespace nfold::device
