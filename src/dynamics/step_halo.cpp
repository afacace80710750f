// The local rows of a step: the halo plan, how long it lasts, and ghosts at a rebuild.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "dynamics/step_engine.hpp"

namespace nfold::dynamics {

namespace {

/// By how much a plan reaches beyond what lists need now: more makes plans rarer and ghosts more
/// numerous. A GPU makes lists more often, and stops for a plan.
constexpr double margin_over_skin = 2;
constexpr double least_margin_nm = on_host ? 0 : 2;

}  // namespace

/// What the next lists look for.
template <class Precision>
HaloRanges StepEngine<Precision>::halo_ranges() const {
  // Coordinates are rounded to 2^12 counts: two of them, along three axes.
  const auto& box = topology_.box;
  const double rounding_nm =
      0x1p14 * std::max({box.nm_per_count(0), box.nm_per_count(1), box.nm_per_count(2)});
  const double beyond_nm = settings_.skin_nm + rounding_nm;
  HaloRanges ranges;
  ranges.all_nm = forces_.short_range_nm() + beyond_nm;
  if (forces_.charge_range_nm() > 0) ranges.charged_nm = forces_.charge_range_nm() + beyond_nm;
  ranges.margin_nm = std::max(least_margin_nm, margin_over_skin * settings_.skin_nm);
  return ranges;
}

/// Collective.
template <class Precision>
bool StepEngine<Precision>::plan_lasts() {
  if (!planned_) return false;
  const double move_nm = planner_.largest_move_nm(position_.read());
  return !communicator_.any(!planned_->covers(halo_ranges(), move_nm));
}

/// Collective.
template <class Precision>
void StepEngine<Precision>::make_plan() {
  fence();
  const auto start = Clock::now();
  const HaloRanges ranges = halo_ranges();
  planner_.plan(position_.read(), ranges);
  planned_ = ranges;
  set_local_rows();
  halo_.set_plan(communicator_, planner_);
#ifdef KOKKOS_ENABLE_CUDA
  if (peers_) {
    const auto places = forces_.records();
    peers_->set_plan(planner_, owned_, places.slot, places.charged_slot);
  }
#endif
  ++statistics_.halo_plans;
  statistics_.halo_plan_seconds += std::chrono::duration<double>(Clock::now() - start).count();
}

/// Collective.
template <class Precision>
void StepEngine<Precision>::exchange_ghosts() {
  halo_.start(coordinate_.read());
  halo_.finish(coordinate_.view(), forces_.records());
}

template <class Precision>
void StepEngine<Precision>::set_local_rows() {
  const auto rows = static_cast<std::int64_t>(std::max(planner_.rows(), kernels::padded(owned_)));
  const auto grow = [&](auto& columns) {
    return rows > columns.size() && columns.reserve(rows + rows / 8);
  };
  [[maybe_unused]] const bool is_new = grow(coordinate_) | grow(listed_);
  forces_.set_local(planner_.row_id(), planner_.rows());
#ifdef KOKKOS_ENABLE_CUDA
  forces_.place_rows(peers_ ? peers_->reserve(forces_.row_count(), forces_.charged_count(),
                                              planner_.send_first().back())
                            : SharedRecords<Precision>{});
  if (graphs_ && (is_new || planner_.row_id() != recorded_ids_)) graphs_->clear();
  recorded_ids_ = planner_.row_id();
#endif
  round_coordinates();
}

#define NFOLD_INSTANTIATE(Precision)                              \
  template HaloRanges StepEngine<Precision>::halo_ranges() const; \
  template bool StepEngine<Precision>::plan_lasts();              \
  template void StepEngine<Precision>::make_plan();               \
  template void StepEngine<Precision>::exchange_ghosts();         \
  template void StepEngine<Precision>::set_local_rows();
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::dynamics
