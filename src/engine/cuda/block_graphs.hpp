// CUDA graphs of blocks of steps, and the outcome that each block writes for the host.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda_runtime.h>

#include <chrono>
#include <compare>
#include <cstdint>
#include <future>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/failure.hpp"
#include "device/cuda/graph_capture.hpp"
#include "device/launch.hpp"
#include "kernels/halo/halo_selection.hpp"
#include "kernels/loops/keep_largest.hpp"

namespace nfold::engine {

/// Outcome of a block of steps; written by the GPU into host memory at the block's end.
struct BlockOutcome {
  std::int64_t step;  // step number after the block
  int moved, exploded;
  int wanted[2];               // entries needed by each list that overflowed; 0 otherwise
  int lost;                    // a peer did not answer
  float largest_move_squared;  // [nm^2] since the lists were built
  float
      planned_move_squared;  // [nm^2] since the halo was planned, at the time the lists were built
  float busy_seconds;        // [s] of a timed block's steps, excluding waits for peers
  int is_new;                // set by the host: the graph was captured for this launch
};

/// Number of recent block outcomes kept in host memory that the GPU writes.
inline constexpr int outcomes_kept = 4;

/// Time stamps of a timed block. Its first step computes forces without waiting for peers, because
/// the list build has already waited for their rows; so the time between two stamps is this GPU's
/// own work.
enum StampIndex { ghosts_are_there, lists_are_made, has_integrated, stamps };

/// Device memory shared by the kernels of a block.
struct BlockState {
  std::uint64_t step;  // at the block's start
  std::uint64_t blocks;
  std::uint64_t exchanges;        // halo exchanges in earlier blocks
  unsigned largest_move_squared;  // bit pattern of a float >= 0
  unsigned planned_move_squared;
  int lost;
  std::uint64_t stamp_ns[stamps];  // set in timed blocks
};

/// Stores the GPU time once all earlier work in the stream has ended. One work item.
struct Stamp {
  BlockState* state;
  int which;
  KOKKOS_FUNCTION void operator()(int) const {
    std::uint64_t now = 0;
#ifdef __CUDA_ARCH__
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
#endif
    state->stamp_ns[which] = now;
  }
};

/// Ends a block: writes its outcome for the host and clears the flags. One work item.
struct WriteBlockOutcome {
  int *moved, *exploded, *wanted;
  BlockState* state;
  BlockOutcome* outcomes;  // (outcomes_kept)
  std::uint64_t steps;
  bool is_timed;
  KOKKOS_FUNCTION void operator()(int) const {
    BlockOutcome& v = outcomes[state->blocks % outcomes_kept];
    state->step += steps;
    v.moved = *moved;
    v.exploded = *exploded;
    v.wanted[0] = wanted[0];
    v.wanted[1] = wanted[1];
    v.lost = state->lost;
    v.largest_move_squared = Kokkos::bit_cast<float>(state->largest_move_squared);
    v.planned_move_squared = Kokkos::bit_cast<float>(state->planned_move_squared);
    v.busy_seconds = is_timed ? busy_seconds() : 0.0F;
    v.step = static_cast<std::int64_t>(state->step);
    *moved = 0;
    *exploded = 0;
    wanted[0] = 0;
    wanted[1] = 0;
    state->largest_move_squared = 0;
    state->planned_move_squared = 0;
    state->exchanges += steps;
    ++state->blocks;
  }
  /// Time of one list build plus `steps` times forces and integration [s].
  [[nodiscard]] KOKKOS_FUNCTION float busy_seconds() const {
    const std::uint64_t* const at = state->stamp_ns;
    const std::uint64_t once = at[lists_are_made] - at[ghosts_are_there];
    const std::uint64_t a_step = at[has_integrated] - at[lists_are_made];
    return 1e-9F * static_cast<float>(once + steps * a_step);
  }
};

/// Key under which a captured graph is cached. Graphs are cleared when arrays or list capacities
/// change.
struct BlockKind {
  int steps;
  bool begins;  // starts from whole-step velocities
  int saved;    // index of the state copy written at the block's start
  int set;      // index of the record set filled by the last exchange before the block
  double skin_nm;
  int version;  // version of the lists' layout
  bool is_timed;
  auto operator<=>(const BlockKind&) const = default;
};

/// Stores the largest move since the halo was planned. One work item per owned row.
struct KeepPlannedMove {
  kernels::FindLargestMove find;
  BlockState* state;
  KOKKOS_FUNCTION void operator()(int row) const {
    double squared = 0;
    find(row, squared);
    kernels::keep_largest(static_cast<float>(squared), &state->planned_move_squared);
  }
};

/// Thrown if the GPU does not answer.
class DeviceHangs : public core::Failure {
 public:
  explicit DeviceHangs(const std::string& message) : core::Failure(message, core::Outcome::hang) {}
};

class BlockGraphs {
 public:
  BlockGraphs() {
    device::check_cuda(cudaHostAlloc(reinterpret_cast<void**>(&outcomes_),
                                     outcomes_kept * sizeof(BlockOutcome), cudaHostAllocMapped),
                       "taking pinned host memory");
    for (auto& event : done_) {
      device::check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                         "making an event");
    }
  }
  /// Returns the device memory shared by the kernels of a block.
  [[nodiscard]] static device::DeviceArray<BlockState> reserved_state() {
    device::DeviceArray<BlockState> state("block_state");
    state.reserve(1);
    return state;
  }
  ~BlockGraphs() {
    graphs_.clear();
    for (auto& event : done_) cudaEventDestroy(event);
    cudaFreeHost(outcomes_);
  }
  BlockGraphs(const BlockGraphs&) = delete;
  BlockGraphs& operator=(const BlockGraphs&) = delete;

  [[nodiscard]] BlockState* state() const { return state_.data(); }
  [[nodiscard]] BlockOutcome* outcomes() const { return outcomes_; }

  /// Resets the counters before the first block from a state that the host knows.
  void restart(std::int64_t step) {
    state_.set(0, {static_cast<std::uint64_t>(step), 0, 0, 0, 0, 0, {}});
    started_ = 0;
    checked_ = 0;
  }
  /// Discards all graphs, after an array, a list capacity or a layout changed.
  void clear() {
    if (graphs_.empty()) return;
    // Destroying a graph takes about 0.1 ms; a thread does it while steps go on.
    destroyed_ = std::async(std::launch::async, [graphs = std::exchange(graphs_, {})]() mutable {
      (void)cudaSetDevice(device::Space().cuda_device());
      graphs.clear();
    });
  }

  /// Launches a block; captures it with record() if no graph is cached. Returns true if it
  /// captured.
  template <class Record>
  bool start(const BlockKind& kind, const Record& record) {
    auto found = graphs_.find(kind);
    const bool is_new = found == graphs_.end();
    if (is_new) {
      evict_graphs(kind);
      found = graphs_.emplace(kind, capture_stream_.captured(record)).first;
    }
    device::check_cuda(cudaGraphLaunch(found->second.get(), device::device_stream()),
                       "starting a block of steps");
    device::check_cuda(cudaEventRecord(done_[started_ % outcomes_kept], device::device_stream()),
                       "recording an event");
    ++started_;
    return is_new;
  }
  /// Time of one launch_part() within a captured sequence of `repeats` [us].
  template <class Launch>
  double measure_microseconds(int repeats, const Launch& launch_part) {
    const device::CapturedGraph graph = capture_stream_.captured([&] {
      for (int i = 0; i < repeats; ++i) launch_part();
    });
    cudaEvent_t from = nullptr, to = nullptr;
    device::check_cuda(cudaEventCreate(&from), "making an event");
    device::check_cuda(cudaEventCreate(&to), "making an event");
    float milliseconds = 0;
    for (const bool is_warm : {false, true}) {
      device::check_cuda(cudaEventRecord(from, device::device_stream()), "recording an event");
      device::check_cuda(cudaGraphLaunch(graph.get(), device::device_stream()),
                         "starting a recording");
      device::check_cuda(cudaEventRecord(to, device::device_stream()), "recording an event");
      device::check_cuda(cudaEventSynchronize(to), "a recording");
      if (is_warm)
        device::check_cuda(cudaEventElapsedTime(&milliseconds, from, to), "reading an event");
    }
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    return 1e3 * static_cast<double>(milliseconds) / repeats;
  }
  /// Waits for the oldest block whose outcome was not read. Throws std::runtime_error if the GPU
  /// fails, DeviceHangs if it does not answer for a minute.
  BlockOutcome wait() {
    using Clock = std::chrono::steady_clock;
    const auto event = done_[checked_ % outcomes_kept];
    Clock::time_point limit{};
    for (int tries = 0;; ++tries) {
      const cudaError_t code = cudaEventQuery(event);
      if (code == cudaSuccess) break;
      if (code != cudaErrorNotReady) device::check_cuda(code, "a block of steps");
      if (tries < spins) continue;
      if (tries == spins) limit = Clock::now() + std::chrono::seconds(patience_s);
      if (tries % spins == 0 && Clock::now() > limit) {
        throw DeviceHangs(fmt::format("a block of steps did not end within {} s", patience_s));
      }
      std::this_thread::yield();
    }
    return outcomes_[checked_++ % outcomes_kept];
  }

 private:
  static constexpr std::size_t most_graphs = 64;
  /// Evicts graphs of other skins and list versions first.
  void evict_graphs(const BlockKind& kind) {
    if (graphs_.size() < most_graphs) return;
    std::erase_if(graphs_, [&kind](const auto& one) {
      return one.first.skin_nm != kind.skin_nm || one.first.version != kind.version;
    });
    if (graphs_.size() >= most_graphs) clear();
  }
  static constexpr int spins = 2000;
  static constexpr int patience_s = 60;

  device::CaptureStream capture_stream_;
  std::map<BlockKind, device::CapturedGraph> graphs_;
  std::future<void> destroyed_;  // destroys the graphs discarded last
  cudaEvent_t done_[outcomes_kept] = {};
  BlockOutcome* outcomes_ = nullptr;
  device::DeviceArray<BlockState> state_ = reserved_state();
  std::uint64_t started_ = 0, checked_ = 0;
};

}  // namespace nfold::engine
