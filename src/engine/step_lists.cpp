// List rebuilds: choice of the skin, and a shorter skin or larger lists on overflow.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "core/telemetry/profiler.hpp"
#include "engine/engine_memory.hpp"
#include "engine/forces/list_length.hpp"
#include "engine/step_engine.hpp"

namespace nfold::engine {

template <class Precision>
void StepEngine<Precision>::rebuild() {
  const telemetry::PhaseSpan span(telemetry::Phase::lists);
  lists_.choose_skin(communicator_, step_);
  if (ghosts_.is_needed()) {
    if (!ghosts_.plan_is_valid(state_.position.read(), ghosts_.ranges(reach()))) make_plan();
    exchange_ghosts();
  }
  build_lists();
  if (lists_.is_unbounded() && reserve_for_longest_skin()) build_lists();
  lists_are_current_ = true;
  // A GPU stores the forces on charges by slot, and the slots have changed.
  if (!device::on_host) forces_are_current_ = false;
  lists_.mark_built();
  count_rebuild();
}

/// Collective. Reserves list capacity for the longest skin that may be tried, so that memory
/// matches the estimate; for a shorter one if memory is scarce, since trying a skin must not end a
/// run. Returns true if lists must be built again.
template <class Precision>
bool StepEngine<Precision>::reserve_for_longest_skin() {
  constexpr double usable = 0.9;      // fraction of free memory
  constexpr double round_up = 1.125;  // rounding of list capacity when lists grow
  const double short_nm = forces_.short_range_nm(), charge_nm = forces_.charge_range_nm();
  const double skin_nm = lists_.skin_nm();
  const double planned_nm =
      longest_reach(topology_, settings_, topology_.residue_count() / communicator_.size()).skin_nm;
  const auto free_bytes = static_cast<double>(device::free_memory(devices()).device_bytes);
  const auto list_bytes_now = static_cast<double>(std::max<std::int64_t>(1, forces_.list_bytes()));
  // Entries grow with the volume within reach, faster for the shorter reach.
  const double reach_nm = charge_nm > 0 ? std::min(short_nm, charge_nm) : short_nm;
  const double growth = (list_bytes_now + usable * free_bytes) / (round_up * list_bytes_now);
  const double fits_nm = forces::distance_for_length(reach_nm + skin_nm, growth) - reach_nm;
  const double longest_nm =
      1e-6 *
      static_cast<double>(communicator_.min(std::llround(1e6 * std::min(planned_nm, fits_nm))));
  lists_.limit_skin(longest_nm);
  // All ranks rebuild if one must, because a build is collective: a rank may get its first charged
  // residues.
  return communicator_.any(longest_nm > skin_nm && forces_.reserve_lists(skin_nm, longest_nm));
}

/// Collective. Builds lists. On a GPU a shorter skin is preferred to larger lists; at the first
/// skin, and on a CPU, lists grow.
template <class Precision>
void StepEngine<Precision>::build_lists() {
#ifdef KOKKOS_ENABLE_CUDA
  while (lists_.can_shorten_skin(lists_.skin_nm())) {
    const double skin_nm = lists_.skin_nm();
    const double fits_nm = forces_.try_lists(local_rows(), tables_, skin_nm);
    if (!communicator_.any(fits_nm < skin_nm)) return;
    shorten_skin(fits_nm);
  }
#endif
  forces_.build_lists(local_rows(), tables_, lists_.skin_nm());
}

/// Collective. Shortens the skin to the least `fits_nm` of all ranks. Requires can_shorten_skin().
template <class Precision>
void StepEngine<Precision>::shorten_skin(double fits_nm) {
  const auto shortest_fit_fm = communicator_.min(std::llround(1e6 * fits_nm));
  lists_.shorten_skin_to(1e-6 * static_cast<double>(shortest_fit_fm), step_);
}

template class StepEngine<kernels::Mixed>;
template class StepEngine<kernels::Full>;

}  // namespace nfold::engine
