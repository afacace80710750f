// Halo plans of a step, the layout of local rows, and the exchange of ghosts.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/telemetry/profiler.hpp"
#include "engine/step_parts.hpp"

namespace nfold::engine {

template <class Precision>
void StepParts<Precision>::make_plan() {
  const telemetry::PhaseSpan span(telemetry::Phase::plan);
  const halo::HaloRanges ranges = ghosts.ranges(reach());
  ghosts.prepare(state.position.read(), ranges);
  adopt_plan(state.position.read(), ranges);
}

template <class Precision>
void StepParts<Precision>::adopt_plan(kernels::Columns<const std::int64_t> position,
                                      const halo::HaloRanges& ranges) {
  ghosts.adopt(position, ranges, [this] { return place_local_rows(); });
}

template <class Precision>
kernels::PairRecords<Precision> StepParts<Precision>::place_local_rows() {
  const auto& planner = ghosts.planner();
  [[maybe_unused]] const bool has_moved = state.reserve_rows(planner.rows());
  forces.set_local(planner.row_id(), planner.rows());
#ifdef KOKKOS_ENABLE_CUDA
  forces.place_rows(ghosts.shared_records(forces.record_count(), forces.charged_record_count()));
  // NCCL exchanges are captured with fixed sizes.
  if (has_moved || ghosts.has_fixed_sizes() || planner.row_id() != placed_ids_) ++layout_version;
#endif
  placed_ids_ = planner.row_id();
  local_rows_are_ready = true;
  round_coordinates();
  return forces.records();
}

template <class Precision>
void StepParts<Precision>::exchange_ghosts() {
  ghosts.start(state.coordinate.read());
  ghosts.finish(state.coordinate.view(), forces.records());
}

#ifdef KOKKOS_ENABLE_CUDA
template <class Precision>
void StepParts<Precision>::fetch_ghosts(int set) {
  ghosts.fetch(state.coordinate.read(), state.coordinate.view(), forces.records(set));
}

template <class Precision>
void StepParts<Precision>::prepare_plan_concurrently() {
  ghosts.prepare_concurrently(ghosts.ranges(reach()), forces,
                              [this](const halo::HaloPlanner::Prepared& plan, int charged_ghosts) {
                                return state.has_capacity_for(plan.rows) &&
                                       forces.has_capacity_for(plan.rows, charged_ghosts);
                              });
}

/// Owned rows keep their index and coordinates; coordinates of ghosts arrive in the first step of
/// the next block.
template <class Precision>
void StepParts<Precision>::adopt_plan_in_stream(int* lost) {
  const auto place_rows = [this, charged_ghosts = ghosts.prepared_charged_ghosts()] {
    forces.set_ghosts(ghosts.planner().rows(), charged_ghosts);
    forces.place_rows(ghosts.shared_records());
    return forces.records();
  };
  ghosts.adopt(ghosts.kept_positions(), ghosts.prepared_ranges(), place_rows, lost);
}
#endif

template struct StepParts<kernels::Mixed>;
template struct StepParts<kernels::Full>;

}  // namespace nfold::engine
