// What the parts of a step take, one by one: for the benchmark, which says where the time goes.
// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

namespace {

constexpr int repeats = 20;

#ifdef KOKKOS_ENABLE_CUDA
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
  if (communicator_.size() > 1 || owned_ == 0) return {};
  ensure_forces();
  save();
  std::vector<PartTime> times;
  const auto time = [&](const char* name, const auto& part) {
#ifdef KOKKOS_ENABLE_CUDA
    if (!graphs_) graphs_ = std::make_unique<BlockGraphs>();
    times.push_back({name, microseconds_of(*graphs_, part)});
#else
    times.push_back({name, microseconds_of(part)});
#endif
  };
  time("forces", [&] { compute_forces(); });
  time("lists", [&] {
#ifdef KOKKOS_ENABLE_CUDA
    forces_.enqueue_lists(local_rows(), *tables_, settings_.skin_nm);
#else
    forces_.build_lists(local_rows(), *tables_, settings_.skin_nm);
#endif
  });
  time("integrate", [&] { integrate<true, true>(eager_drift()); });
  fence();
  marks_.fill(0);
  restore();
  return times;
}

template std::vector<PartTime> StepEngine<kernels::Mixed>::part_times();
template std::vector<PartTime> StepEngine<kernels::Full>::part_times();

}  // namespace nfold::dynamics
