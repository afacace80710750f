// What the parts of a step take, one by one: for the benchmark, which says where the time goes.
// SPDX-License-Identifier: BSD-3-Clause

#include <chrono>
#include <cmath>

#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

namespace {

constexpr int repeats = 20;

#ifdef KOKKOS_ENABLE_CUDA
/// Work item: the only one.
struct CountExchange {
  BlockState* state;
  KOKKOS_FUNCTION void operator()(int) const { ++state->exchanges; }
};

/// Microseconds of one launch(), recorded, in a row of `repeats`.
template <class Launch>
double microseconds_of(BlockGraphs& graphs, const Launch& launch_part) {
  return graphs.microseconds_of(repeats, launch_part);
}
#else
template <class Launch>
double microseconds_of(const Launch& launch_part) {
  using Clock = std::chrono::steady_clock;
  launch_part();
  const auto start = Clock::now();
  for (int i = 0; i < repeats; ++i) launch_part();
  return 1e6 * std::chrono::duration<double>(Clock::now() - start).count() / repeats;
}
#endif

}  // namespace

template <class Precision>
std::vector<PartTime> StepEngine<Precision>::part_times() {
  std::vector<PartTime> times;
#ifdef KOKKOS_ENABLE_CUDA
  if (!can_record()) return {};
#else
  if (communicator_.size() > 1 || owned_ == 0) return {};
#endif
  ensure_forces();
  save();
#ifdef KOKKOS_ENABLE_CUDA
  if (!graphs_) graphs_ = std::make_unique<BlockGraphs>();
  const bool has_ghosts = peers_ && peers_->has_peers();
  restart_blocks();
  const auto time = [&](const char* name, const auto& part) {
    const auto took = microseconds_of(*graphs_, part);
    times.push_back(
        {name, 1e-3 * static_cast<double>(communicator_.max(std::llround(1e3 * took)))});
  };
  int* const exploded = marks_.data() + exploded_mark;
  const auto list = [&] {
    forces_.enqueue_lists(local_rows(), *tables_, settings_.skin_nm, copied_rows());
  };
  list();  // which tells the blocks that have ghosts
  // Between peers as in a step, but every ghost is there.
  kernels::HaloFlags flags{};
  const bool waits = has_ghosts && !tables_->has_terms();
  if (waits) flags = peers_->flags(&graphs_->state()->exchanges, 0, &graphs_->state()->lost);
  time("forces", [&] {
    forces_.compute_recorded(*tables_, coordinate_.read(), exploded, true, 0,
                             waits ? &flags : nullptr);
  });
  if (!has_ghosts && forces_.compute_with_float_sums(*tables_, coordinate_.read(), exploded)) {
    time("forces with float sums",
         [&] { forces_.compute_with_float_sums(*tables_, coordinate_.read(), exploded); });
  }
  time("lists", list);
  IntegrationLaunch drift = eager_drift();
  drift.pushes = has_ghosts;
  time("integrate", [&] { integrate<true, true>(drift); });
  if (peers_) {
    BlockState* const state = graphs_->state();
    time("exchange", [&] {
      take_pushed_ghosts(peers_->flags(&state->exchanges, 1, &state->lost), 0, forces_.row_count());
      device::launch("count exchange", 1, CountExchange{state});
    });
  } else if (communicator_.size() > 1) {
    time("exchange", [&] { exchange_ghosts(); });
  }
#else
  const auto time = [&](const char* name, const auto& part) {
    times.push_back({name, microseconds_of(part)});
  };
  time("forces", [&] { compute_forces(); });
  time("lists", [&] { forces_.build_lists(local_rows(), *tables_, settings_.skin_nm); });
  time("integrate", [&] { integrate<true, true>(eager_drift()); });
#endif
  device::fence();
  marks_.fill(0);
  restore();
  return times;
}

template std::vector<PartTime> StepEngine<kernels::Mixed>::part_times();
template std::vector<PartTime> StepEngine<kernels::Full>::part_times();

}  // namespace nfold::dynamics
