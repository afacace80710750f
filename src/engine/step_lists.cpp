// List builds of a step: skin and capacity of the lists.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "core/telemetry/profiler.hpp"
#include "engine/engine_memory.hpp"
#include "engine/forces/list_length.hpp"
#include "engine/step_parts.hpp"

namespace nfold::engine {

namespace {

/// Collective. Returns the least length of any rank, in whole femtometres.
double least_of_ranks_nm(const comm::Communicator& communicator, double nm) {
  return 1e-6 * static_cast<double>(communicator.min(std::llround(1e6 * nm)));
}

}  // namespace

template <class Precision>
void StepParts<Precision>::rebuild() {
  const telemetry::PhaseSpan span(telemetry::Phase::lists);
  lists.choose_skin(communicator, step);
  if (ghosts.is_needed()) {
    if (!ghosts.plan_is_valid(state.position.read(), ghosts.ranges(reach()))) make_plan();
    exchange_ghosts();
  }
  build_lists();
  if (lists.needs_skin_limit()) reserve_for_longest_skin();
  lists_are_current = true;
  // A GPU stores the forces on charges by slot, and the slots have changed.
  if (!device::on_host) forces_are_current = false;
  lists.mark_built();
  ++rebuilds;
}

/// Collective. Builds lists. If they overflow, a CPU enlarges them. A GPU shortens the skin
/// instead, and enlarges them only at the first skin.
template <class Precision>
void StepParts<Precision>::build_lists() {
#ifdef KOKKOS_ENABLE_CUDA
  while (lists.can_shorten_skin(lists.skin_nm())) {
    const double skin_nm = lists.skin_nm();
    const double fits_nm = forces.try_lists(local_rows(), tables, skin_nm);
    if (!communicator.any(fits_nm < skin_nm)) return;
    shorten_skin(fits_nm);
  }
#endif
  forces.build_lists(local_rows(), tables, lists.skin_nm());
}

template <class Precision>
void StepParts<Precision>::shorten_skin(double fits_nm) {
  lists.shorten_skin_to(least_of_ranks_nm(communicator, fits_nm), step);
}

/// Collective, after lists were built. Reserves the list capacity for the longest skin that
/// autotuning may try, so that memory use is as estimated from the start. If memory is scarce, the
/// longest skin that fits becomes the limit of autotuning, because a trial must not end a run.
template <class Precision>
void StepParts<Precision>::reserve_for_longest_skin() {
  const auto residues_of_rank = topology.residue_count() / communicator.size();
  const double wanted_nm = longest_reach(topology, settings, residues_of_rank).skin_nm;
  const double limit_nm =
      least_of_ranks_nm(communicator, std::min(wanted_nm, longest_fitting_skin_nm()));
  lists.limit_skin(limit_nm);
  const double skin_nm = lists.skin_nm();
  const bool must_build = limit_nm > skin_nm && forces.reserve_lists(skin_nm, limit_nm);
  // A build is collective, and not every rank's lists need one.
  if (communicator.any(must_build)) build_lists();
}

/// Estimates the longest skin whose lists fit into the free memory of this rank [nm].
template <class Precision>
double StepParts<Precision>::longest_fitting_skin_nm() {
  constexpr double usable = 0.9;      // fraction of free memory
  constexpr double round_up = 1.125;  // rounding of list capacity when lists grow
  const auto free_bytes = static_cast<double>(device::free_memory(devices()).device_bytes);
  const auto list_bytes = static_cast<double>(std::max<std::int64_t>(1, forces.list_bytes()));
  const double growth = (list_bytes + usable * free_bytes) / (round_up * list_bytes);
  // Entries grow with the volume within reach, fastest for the shorter cutoff.
  const double short_nm = forces.short_range_nm(), charge_nm = forces.charge_range_nm();
  const double cutoff_nm = charge_nm > 0 ? std::min(short_nm, charge_nm) : short_nm;
  return forces::distance_for_length(cutoff_nm + lists.skin_nm(), growth) - cutoff_nm;
}

template struct StepParts<kernels::Mixed>;
template struct StepParts<kernels::Full>;

}  // namespace nfold::engine
