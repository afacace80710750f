// Times of the single parts of a step, for the benchmark.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/part_times.hpp"

#include <chrono>
#include <cmath>

namespace nfold::engine {

namespace {

constexpr int repeats = 20;

#ifdef KOKKOS_ENABLE_CUDA
/// Counts one halo exchange. One work item.
struct CountExchange {
  BlockState* state;
  KOKKOS_FUNCTION void operator()(int) const { ++state->exchanges; }
};

template <class Precision>
bool can_measure(StepEngine<Precision>& engine) {
  return BlockPipeline<Precision>::can_record(engine);
}

/// Collective. Times each part within a captured sequence of `repeats`.
template <class Precision>
std::vector<PartTime> measure_each(StepEngine<Precision>& engine) {
  const auto& communicator = engine.communicator();
  auto& state = engine.state();
  auto& forces = engine.forces();
  const auto& tables = engine.tables();
  std::vector<PartTime> times;
  BlockPipeline<Precision> pipeline(engine);
  BlockState* const block = pipeline.graphs().state();
  PeerHalo<Precision>* const peers = engine.ghosts().peers();
  const bool has_ghosts = engine.ghosts().receives_from_peers();
  pipeline.restart();
  const auto time = [&](const char* name, const auto& part) {
    const auto took = pipeline.graphs().measure_microseconds(repeats, part);
    times.push_back({name, 1e-3 * static_cast<double>(communicator.max(std::llround(1e3 * took)))});
  };
  int* const exploded = engine.marks().at(StepMarks::exploded);
  const auto list = [&] { pipeline.make_lists(); };
  list();  // marks the blocks of rows that have ghosts
  // The kernel checks the peers' flags like in a step, but every ghost is already there.
  kernels::HaloFlags flags{};
  const bool waits = has_ghosts && !tables.has_terms();
  if (waits) flags = peers->flags(&block->exchanges, 0, &block->lost);
  time("forces", [&] {
    forces.compute_captured(tables, state.coordinate.read(), exploded, true, 0,
                            waits ? &flags : nullptr);
  });
  if (!has_ghosts && forces.compute_with_float_sums(tables, state.coordinate.read(), exploded)) {
    time("forces with float sums",
         [&] { forces.compute_with_float_sums(tables, state.coordinate.read(), exploded); });
  }
  time("lists", list);
  IntegrationLaunch launch = engine.this_step();
  launch.pushes = has_ghosts;
  time("integrate", [&] { engine.template integrate<true, true>(launch); });
  if (peers != nullptr) {
    time("exchange", [&] {
      if (engine.ghosts().has_nccl_ghosts()) engine.fetch_ghosts(0);
      pipeline.take_pushed_ghosts(peers->flags(&block->exchanges, 1, &block->lost), 0,
                                  forces.row_count());
      device::launch("count exchange", 1, CountExchange{block});
    });
  } else if (communicator.size() > 1) {
    time("exchange", [&] { engine.fetch_ghosts(0); });
  }
  device::fence();
  return times;
}
#else
template <class Launch>
double measure_microseconds(const Launch& launch_part) {
  using Clock = std::chrono::steady_clock;
  launch_part();
  const auto start = Clock::now();
  for (int i = 0; i < repeats; ++i) launch_part();
  return 1e6 * std::chrono::duration<double>(Clock::now() - start).count() / repeats;
}

template <class Precision>
bool can_measure(StepEngine<Precision>& engine) {
  return engine.communicator().size() == 1 && engine.state().owned > 0;
}

template <class Precision>
std::vector<PartTime> measure_each(StepEngine<Precision>& engine) {
  std::vector<PartTime> times;
  const auto time = [&](const char* name, const auto& part) {
    times.push_back({name, measure_microseconds(part)});
  };
  time("forces", [&] { engine.compute_forces(); });
  time("lists", [&] {
    engine.forces().build_lists(engine.local_rows(), engine.tables(), engine.lists().skin_nm());
  });
  time("integrate", [&] { engine.template integrate<true, true>(engine.this_step()); });
  device::fence();
  return times;
}
#endif

}  // namespace

template <class Precision>
std::vector<PartTime> measure_parts(StepEngine<Precision>& engine) {
  if (!can_measure(engine)) return {};
  engine.ensure_forces();
  engine.state().save();
  auto times = measure_each(engine);
  engine.marks().clear();
  engine.restore(0, engine.step());
  return times;
}

template std::vector<PartTime> measure_parts(StepEngine<kernels::Mixed>&);
template std::vector<PartTime> measure_parts(StepEngine<kernels::Full>&);

}  // namespace nfold::engine
