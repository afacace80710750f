// Operations of a step: integration and forces; step_lists.cpp and step_plans.cpp have the others.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/step_parts.hpp"

#include <cmath>
#include <memory>

#include "core/telemetry/profiler.hpp"
#include "engine/step_constants.hpp"
#include "engine/step_tasks.hpp"
#include "engine/temperature.hpp"

namespace nfold::engine {

namespace {

/// Largest squared move since the lists were built: influences only the moment of the next rebuild.
template <class Precision>
struct LargestMove {
  using Coordinate = typename Precision::Coordinate;
  kernels::Columns<const Coordinate> x, listed;
  kernels::Scale<double> nm;
  KOKKOS_FUNCTION void operator()(int row, double& largest) const {
    const double dx = Precision::to_nm(Precision::difference(x.x[row], listed.x[row]), nm.x);
    const double dy = Precision::to_nm(Precision::difference(x.y[row], listed.y[row]), nm.y);
    const double dz = Precision::to_nm(Precision::difference(x.z[row], listed.z[row]), nm.z);
    const double move = dx * dx + dy * dy + dz * dz;
    largest = move > largest ? move : largest;
  }
};

/// Clears one row per work item.
struct ClearForces {
  kernels::Columns<std::int64_t> force;
  KOKKOS_FUNCTION void operator()(int row) const {
    force.x[row] = 0;
    force.y[row] = 0;
    force.z[row] = 0;
  }
};

template <class Precision>
struct RoundCoordinates {
  kernels::Columns<const std::int64_t> position;
  kernels::Columns<typename Precision::Coordinate> coordinate;
  kernels::PairRecords<Precision> records;
  int owned;  // rows beyond are padding
  KOKKOS_FUNCTION void operator()(int row) const {
    coordinate.x[row] = Precision::coordinate(position.x[row]);
    coordinate.y[row] = Precision::coordinate(position.y[row]);
    coordinate.z[row] = Precision::coordinate(position.z[row]);
    if (row >= owned) return;
    records.put(row, coordinate.x[row], coordinate.y[row], coordinate.z[row]);
  }
};

}  // namespace

template <class Precision>
StepParts<Precision>::StepParts(const comm::Communicator& ranks, const topology::Topology& all,
                                const EngineSettings& chosen, const system::State& start)
    : communicator(ranks),
      topology(all),
      settings(chosen),
      degrees_of_freedom(engine::degrees_of_freedom(all, chosen, start)),
      constants(step_constants(all.box, chosen)),
      step(start.step),
      tables(all, chosen.contact_strength),
      forces(all),
      biases(all),
      fields(all),
      ghosts(ranks, all.box),
      lists(chosen.skin_nm, first_skin_nm(forces.reach_nm(), !device::on_host),
            chosen.rebuild_every, device::on_host && ranks.size() == 1) {
  if (ghosts.is_needed()) ghosts.choose_transport(settings, devices());
  biases.set_origins(start);
}

template <class Precision>
device::JobDevices& StepParts<Precision>::devices() {
  if (!settings.devices) settings.devices = std::make_shared<device::JobDevices>(communicator);
  return *settings.devices;
}

template <class Precision>
system::State StepParts<Precision>::owned_state() const {
  device::fence();
  return state.download(step, tables.ids);
}

// --- Integration.

template <class Precision>
void StepParts<Precision>::integrate(Kicks kicks, const IntegrationLaunch& launch) {
  const telemetry::PartSpan span(telemetry::Phase::integrate);
  switch (kicks) {
    case Kicks::first:
      return launch_integrator<false, true>(launch);
    case Kicks::both:
      return launch_integrator<true, true>(launch);
    case Kicks::last:
      return launch_integrator<true, false>(launch);
  }
}

/// Launches the integrator. finish: adds the second half of the previous kick; begin: adds the
/// first half of the next.
template <class Precision>
template <bool finish, bool begin>
void StepParts<Precision>::launch_integrator(const IntegrationLaunch& launch) {
  const auto launch_as = [&](auto loop) {
    loop.gather = gather(begin);
    loop.constants = constants;
    loop.step = launch.step;
    loop.position = state.position.view();
    loop.velocity = state.velocity.view();
    loop.coordinate =
        launch.writes_columns ? state.coordinate.view() : kernels::Columns<Coordinate>{};
#ifdef KOKKOS_ENABLE_CUDA
    loop.records = forces.records(launch.record_set);
    if (launch.pushes) loop.records.push = ghosts.peers()->push(launch.record_set);
    if (launch.saved_copy >= 0) {
      loop.saved_position =
          state.saved_position[static_cast<std::size_t>(launch.saved_copy)].view();
      loop.saved_velocity =
          state.saved_velocity[static_cast<std::size_t>(launch.saved_copy)].view();
    }
#else
    loop.records = forces.records();
#endif
    loop.scale = forces.scale();
    loop.listed = state.listed.read();
    loop.kicks = state.kicks.view();
    loop.owned = state.owned;
    loop.residue = ghosts.planner().row_id();
    const double skin_nm = lists.skin_nm();
    // The margin covers rounding.
    loop.move_limit_squared = static_cast<Real>(0.25 * skin_nm * skin_nm * (1 - 1e-5));
    loop.largest_move = launch.largest_move;
    loop.marks = {marks.at(launch.moved_flag), marks.at(StepMarks::exploded)};
    device::launch("integrate", state.items(), loop);
  };
  if (settings.integrator == Integrator::langevin_baoab) {
    launch_as(kernels::IntegrateLoop<Precision, true, finish, begin>{});
  } else {
    launch_as(kernels::IntegrateLoop<Precision, false, finish, begin>{});
  }
}

template <class Precision>
double StepParts<Precision>::largest_move_nm() const {
  return std::sqrt(device::largest_over<double>(
      "largest move", state.owned,
      LargestMove<Precision>{state.coordinate.read(), state.listed.read(),
                             forces::coordinate_scale<Precision, double>(topology.box)}));
}

template <class Precision>
void StepParts<Precision>::round_coordinates() {
  if (!local_rows_are_ready) return;  // place_local_rows() rounds later
  device::launch("round coordinates", state.items() * kernels::lanes,
                 RoundCoordinates<Precision>{state.position.read(), state.coordinate.view(),
                                             forces.records(), state.owned});
}

template <class Precision>
void StepParts<Precision>::restore(int copy, std::int64_t saved_step) {
  state.restore_copy(copy);
  reset_to_state(saved_step);
}

template <class Precision>
void StepParts<Precision>::reset_to_state(std::int64_t new_step) {
  step = new_step;
  round_coordinates();
  mark_outdated();
}

// --- Forces.

/// Computes interior items while ghosts are exchanged. A GPU adds term forces to totals, which are
/// cleared first.
template <class Precision>
void StepParts<Precision>::compute_forces() {
  const auto x = state.coordinate.read();
  const bool has_ghosts = ghosts.is_needed();
  const auto compute = [&](forces::Part part) {
    forces.compute(part, tables, x, marks.at(StepMarks::exploded));
  };
  launch_in_order(
      StepTask{"clear term forces", !device::on_host && tables.has_terms(),
               [&] {
                 device::launch("clear term forces", state.owned,
                                ClearForces{tables.term_force.view()});
               }},
      StepTask{"start halo exchange", has_ghosts, [&] { ghosts.start(x); }},
      StepTask{"interior forces", true, [&] { compute(forces::Part::interior); }},
      StepTask{"finish halo exchange", has_ghosts,
               [&] { ghosts.finish(state.coordinate.view(), forces.records()); }},
      StepTask{"border forces", has_ghosts, [&] { compute(forces::Part::border); }},
      StepTask{"bias forces", biases.any() || fields.any(), [&] { add_bias_forces(); }});
}

/// Collective. Adds forces of biases and external fields to the totals that the integrator gathers
/// of each row.
template <class Precision>
void StepParts<Precision>::add_bias_forces() {
#ifdef KOKKOS_ENABLE_CUDA
  const auto total = tables.term_force.view();
#else
  const auto total = forces.pair_force.view();
#endif
  const telemetry::PartSpan span(telemetry::Phase::bonded);
  biases.add_forces(communicator, state.position.read(), total, marks.at(StepMarks::exploded));
  fields.add_forces(step, state.position.read(), total, marks.at(StepMarks::exploded));
}

template <class Precision>
void StepParts<Precision>::ensure_forces() {
  if (!lists_are_current) rebuild();
  if (forces_are_current) return;
  compute_forces();
  forces_are_current = true;
}

template <class Precision>
void StepParts<Precision>::store_forces() {
  device::launch("store forces", state.items(),
                 kernels::StoreForceLoop<Precision>{gather(), state.total_force.view()});
}

template struct StepParts<kernels::Mixed>;
template struct StepParts<kernels::Full>;

}  // namespace nfold::engine
