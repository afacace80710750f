// Halo plans made by the engine, and the exchange of ghosts.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/step_engine.hpp"

namespace nfold::engine {

template <class Precision>
void StepEngine<Precision>::make_plan() {
  const telemetry::PhaseSpan span(telemetry::Phase::plan);
  const halo::HaloRanges ranges = ghosts_.ranges(reach());
  ghosts_.prepare(state_.position.read(), ranges);
  adopt_plan(state_.position.read(), ranges);
}

template <class Precision>
void StepEngine<Precision>::adopt_plan(kernels::Columns<const std::int64_t> position,
                                       const halo::HaloRanges& ranges) {
  ghosts_.adopt(position, ranges, [this] { return place_local_rows(); });
}

#ifdef KOKKOS_ENABLE_CUDA
template <class Precision>
void StepEngine<Precision>::prepare_plan_concurrently() {
  ghosts_.prepare_concurrently(ghosts_.ranges(reach()), forces_,
                               [this](const halo::HaloPlanner::Prepared& plan, int charged_ghosts) {
                                 return state_.has_capacity_for(plan.rows) &&
                                        forces_.has_capacity_for(plan.rows, charged_ghosts);
                               });
}

/// Owned rows keep their index and coordinates; coordinates of ghosts arrive in the first step of
/// the next block.
template <class Precision>
void StepEngine<Precision>::adopt_plan_in_stream(int* lost) {
  const auto place_rows = [this](int charged_ghosts) {
    forces_.set_ghosts(ghosts_.planner().rows(), charged_ghosts);
    forces_.place_rows(ghosts_.shared_records());
    return forces_.records();
  };
  ghosts_.adopt_in_stream(place_rows, lost);
}
#endif

template <class Precision>
void StepEngine<Precision>::exchange_ghosts() {
  ghosts_.start(state_.coordinate.read());
  ghosts_.finish(state_.coordinate.view(), forces_.records());
}

#ifdef KOKKOS_ENABLE_CUDA
template <class Precision>
void StepEngine<Precision>::fetch_ghosts(int set) {
  ghosts_.fetch(state_.coordinate.read(), state_.coordinate.view(), forces_.records(set));
}
#endif

#define NFOLD_INSTANTIATE(Precision)                                                    \
  template void StepEngine<Precision>::make_plan();                                     \
  template void StepEngine<Precision>::adopt_plan(kernels::Columns<const std::int64_t>, \
                                                  const halo::HaloRanges&);             \
  template void StepEngine<Precision>::exchange_ghosts();
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE
#ifdef KOKKOS_ENABLE_CUDA
#define NFOLD_INSTANTIATE(Precision)                                \
  template void StepEngine<Precision>::prepare_plan_concurrently(); \
  template void StepEngine<Precision>::adopt_plan_in_stream(int*);  \
  template void StepEngine<Precision>::fetch_ghosts(int);
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE
#endif

}  // namespace nfold::engine
