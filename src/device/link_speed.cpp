// Timing of copies.
// SPDX-License-Identifier: BSD-3-Clause
#include "device/link_speed.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>

#include "device/device_array.hpp"
#include "device/launch.hpp"
#include "device/staged_array.hpp"

namespace nfold::device {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the shortest of several times [s], since other programs only ever slow a copy down.
double quickest(int times, const std::function<void()>& work) {
  double best = seconds_of(work);
  for (int k = 1; k < times; ++k) best = std::min(best, seconds_of(work));
  return best;
}

constexpr int repeats = 7;
constexpr int round_trips = 200;

/// Measures copies larger than the CPU's caches; each thread copies its own part, in memory that it
/// touched first.
double host_copy_bytes_per_second() {
  constexpr std::int64_t bytes_each = std::int64_t{64} << 20U;
  const int threads = loop_threads();
  std::vector<std::vector<char>> from(static_cast<std::size_t>(threads)), to = from;
  for_each_concurrently(threads, [&](int k) {
    from[static_cast<std::size_t>(k)].assign(bytes_each, 1);
    to[static_cast<std::size_t>(k)].assign(bytes_each, 2);
  });
  const double seconds = quickest(repeats, [&] {
    for_each_concurrently(threads, [&](int k) {
      const auto at = static_cast<std::size_t>(k);
      std::memcpy(to[at].data(), from[at].data(), from[at].size());
    });
  });
  return 2.0 * static_cast<double>(bytes_each) * threads / seconds;
}

}  // namespace

double measured_memory_bytes_per_second() {
  if constexpr (on_host) return host_copy_bytes_per_second();
  constexpr std::int64_t numbers = std::int64_t{1} << 27U;  // 1 GiB
  DeviceArray<std::int64_t> from("measured copy, source"), to("measured copy, target");
  from.reserve(numbers);
  to.reserve(numbers);
  from.fill(1);
  to.copy_from(from, numbers);
  fence();
  const double seconds = quickest(repeats, [&] {
    to.copy_from(from, numbers);
    fence();
  });
  return 2.0 * static_cast<double>(numbers) * sizeof(std::int64_t) / seconds;
}

std::optional<double> measured_host_link_bytes_per_second() {
  if constexpr (on_host) return std::nullopt;
  constexpr std::int64_t numbers = std::int64_t{1} << 25U;  // 256 MiB
  StagedArray<std::int64_t> array("measured link to the host");
  array.reserve(numbers);
  const auto send = [&] {
    array.to_device(numbers);
    fence();
  };
  send();
  return static_cast<double>(numbers) * sizeof(std::int64_t) / quickest(repeats, send);
}

std::optional<double> measured_host_latency_seconds() {
  if constexpr (on_host) return std::nullopt;
  StagedArray<std::int64_t> array("measured latency to the host");
  array.reserve(1);
  const double seconds = quickest(repeats, [&] {
    for (int k = 0; k < round_trips; ++k) {
      array.to_device(1);
      array.to_host(1);
    }
  });
  return seconds / round_trips;
}

#ifdef KOKKOS_ENABLE_CUDA
namespace {

/// Memory on a GPU other than the one that Kokkos uses.
class PeerMemory {
 public:
  PeerMemory(int gpu, std::size_t bytes) : gpu_(gpu) {
    check_cuda(cudaSetDevice(gpu_), "choosing a GPU");
    check_cuda(cudaMalloc(&data_, bytes), "memory to measure a link");
  }
  ~PeerMemory() {
    (void)cudaSetDevice(gpu_);
    (void)cudaFree(data_);
  }
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;
  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] int gpu() const { return gpu_; }

 private:
  int gpu_;
  void* data_ = nullptr;
};

/// Enables peer access. Without it copies go through the host, and that path is measured.
void let_reach(int gpu, int other) {
  int can = 0;
  check_cuda(cudaSetDevice(gpu), "choosing a GPU");
  if (cudaDeviceCanAccessPeer(&can, gpu, other) != cudaSuccess || can == 0) return;
  if (cudaDeviceEnablePeerAccess(other, 0) == cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();
  }
}

void copy(const PeerMemory& to, const PeerMemory& from, std::size_t bytes) {
  check_cuda(cudaMemcpyPeerAsync(to.data(), to.gpu(), from.data(), from.gpu(), bytes, nullptr),
             "a copy between GPUs");
}

PeerSpeed peer_speed(int first, int second) {
  constexpr std::size_t bytes = std::size_t{256} << 20U;
  let_reach(second, first);
  let_reach(first, second);
  const PeerMemory there(second, bytes), here(first, bytes);  // the current device is now first
  const auto wait = [] { check_cuda(cudaDeviceSynchronize(), "waiting for copies"); };
  const auto send = [&] {
    copy(there, here, bytes);
    wait();
  };
  send();
  PeerSpeed speed{first, second, static_cast<double>(bytes) / quickest(repeats, send), 0};
  speed.latency_seconds = quickest(repeats,
                                   [&] {
                                     for (int k = 0; k < round_trips; ++k) {
                                       copy(there, here, sizeof(std::int64_t));
                                       copy(here, there, sizeof(std::int64_t));
                                     }
                                     wait();
                                   }) /
                          round_trips;
  return speed;
}

}  // namespace

std::vector<PeerSpeed> measured_peer_speeds() {
  int gpus = 0, own = 0;
  check_cuda(cudaGetDeviceCount(&gpus), "counting GPUs");
  check_cuda(cudaGetDevice(&own), "asking for the own GPU");
  std::vector<PeerSpeed> speeds;
  for (int first = 0; first < gpus; ++first) {
    for (int second = first + 1; second < gpus; ++second) {
      speeds.push_back(peer_speed(first, second));
    }
  }
  check_cuda(cudaSetDevice(own), "choosing the own GPU");
  return speeds;
}
#else
std::vector<PeerSpeed> measured_peer_speeds() { return {}; }
#endif

}  // namespace nfold::device
