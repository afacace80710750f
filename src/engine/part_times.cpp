// Times of the single parts of a step, for the benchmark.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/part_times.hpp"

#include <chrono>
#include <cmath>

#include "engine/step_tasks.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "engine/cuda/block_pipeline.hpp"
#endif

namespace nfold::engine {

namespace {

constexpr int repeats = 20;

/// Times each needed task. measure(launch) returns the time of one launch [us].
template <class Measure, class... Launches>
std::vector<PartTime> time_each(const Measure& measure, const StepTask<Launches>&... task) {
  std::vector<PartTime> times;
  const auto time = [&](const auto& one) {
    if (one.is_needed) times.push_back({one.name, measure(one.launch)});
  };
  (..., time(task));
  return times;
}

#ifdef KOKKOS_ENABLE_CUDA
/// Counts one halo exchange. One work item.
struct CountExchange {
  BlockState* state;
  KOKKOS_FUNCTION void operator()(int) const { ++state->exchanges; }
};

template <class Precision>
bool can_measure(const StepParts<Precision>& parts) {
  return BlockPipeline<Precision>::can_capture(parts);
}

/// Collective. Times each part within a captured sequence of `repeats`; of the slowest rank.
template <class Precision>
std::vector<PartTime> measure_each(StepParts<Precision>& parts) {
  const auto& communicator = parts.communicator;
  auto& forces = parts.forces;
  const auto& tables = parts.tables;
  const auto x = parts.state.coordinate.read();
  int* const exploded = parts.marks.at(StepMarks::exploded);
  BlockPipeline<Precision> pipeline(parts);
  BlockState* const block = pipeline.graphs().state();
  PeerHalo<Precision>* const peers = parts.ghosts.peers();
  const bool has_ghosts = parts.ghosts.receives_from_peers();
  pipeline.restart();
  pipeline.build_lists();  // marks the blocks of rows that have ghosts
  // The kernel checks the peers' flags like in a step, but every ghost is already there.
  kernels::HaloFlags flags{};
  const bool waits = has_ghosts && !tables.has_terms();
  if (waits) flags = peers->flags(&block->exchanges, 0, &block->lost);
  const auto sum_floats = [&] { return forces.compute_with_float_sums(tables, x, exploded); };
  // All ranks must time the same tasks, but ghosts and terms are a rank's own.
  const bool can_sum_floats = !communicator.any(has_ghosts || !sum_floats());
  IntegrationLaunch launch = parts.this_step();
  launch.pushes = has_ghosts;
  const auto measure = [&](const auto& launch_task) {
    const auto took = pipeline.graphs().measure_microseconds(repeats, launch_task);
    return 1e-3 * static_cast<double>(communicator.max(std::llround(1e3 * took)));
  };
  auto times = time_each(
      measure,
      StepTask{
          "forces", true,
          [&] { forces.compute_captured(tables, x, exploded, true, 0, waits ? &flags : nullptr); }},
      StepTask{"forces with float sums", can_sum_floats, [&] { sum_floats(); }},
      StepTask{"lists", true, [&] { pipeline.build_lists(); }},
      StepTask{"integrate", true, [&] { parts.integrate(Kicks::both, launch); }},
      StepTask{"exchange", peers != nullptr,
               [&] {
                 if (parts.ghosts.has_nccl_ghosts()) parts.fetch_ghosts(0);
                 pipeline.take_pushed_ghosts(peers->flags(&block->exchanges, 1, &block->lost), 0,
                                             forces.row_count());
                 device::launch("count exchange", 1, CountExchange{block});
               }},
      StepTask{"exchange", peers == nullptr && communicator.size() > 1,
               [&] { parts.fetch_ghosts(0); }});
  device::fence();  // before the pipeline's memory is freed, which kernels read
  return times;
}
#else
template <class Precision>
bool can_measure(const StepParts<Precision>& parts) {
  return parts.communicator.size() == 1 && parts.state.owned > 0;
}

template <class Precision>
std::vector<PartTime> measure_each(StepParts<Precision>& parts) {
  const auto measure = [](const auto& launch_task) {
    using Clock = std::chrono::steady_clock;
    launch_task();
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i) launch_task();
    return 1e6 * std::chrono::duration<double>(Clock::now() - start).count() / repeats;
  };
  return time_each(
      measure, StepTask{"forces", true, [&] { parts.compute_forces(); }},
      StepTask{"lists", true,
               [&] {
                 parts.forces.build_lists(parts.local_rows(), parts.tables, parts.lists.skin_nm());
               }},
      StepTask{"integrate", true, [&] { parts.integrate(Kicks::both, parts.this_step()); }});
}
#endif

}  // namespace

template <class Precision>
std::vector<PartTime> measure_parts(StepParts<Precision>& parts) {
  if (!can_measure(parts)) return {};
  parts.ensure_forces();
  parts.state.save();
  auto times = measure_each(parts);
  parts.marks.clear();
  parts.restore(0, parts.step);
  return times;
}

template std::vector<PartTime> measure_parts(StepParts<kernels::Mixed>&);
template std::vector<PartTime> measure_parts(StepParts<kernels::Full>&);

}  // namespace nfold::engine
