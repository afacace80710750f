// The step from top to bottom: blocks, forces, integration and collective outcomes.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/step_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/telemetry/profiler.hpp"
#include "engine/engine_memory.hpp"
#include "engine/explosion.hpp"
#include "engine/minimiser.hpp"
#include "engine/part_times.hpp"
#include "engine/step_constants.hpp"
#include "engine/step_reports.hpp"
#include "engine/temperature.hpp"
#include "kernels/loops/picked_positions.hpp"

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
StepEngine<Precision>::StepEngine(const comm::Communicator& communicator,
                                  const topology::Topology& topology,
                                  const EngineSettings& settings, system::State start,
                                  domain::Ownership owner)
    : communicator_(communicator),
      topology_(topology),
      settings_(settings),
      degrees_of_freedom_(engine::degrees_of_freedom(topology, settings, start)),
      step_(start.step),
      tables_(topology, settings.contact_strength),
      forces_(topology),
      biases_(topology),
      ghosts_(communicator, topology.box),
      lists_(settings.skin_nm, first_skin_nm(forces_.reach_nm(), !device::on_host),
             settings.rebuild_every, device::on_host && communicator.size() == 1) {
  constants_ = step_constants(topology.box, settings_);
  if (ghosts_.is_needed()) ghosts_.choose_transport(settings_, devices());
  biases_.set_origins(start);
  const auto rows = prepared(nullptr, std::make_shared<const domain::Ownership>(std::move(owner)));
  check_coverage(*rows);
  state_.take(start, rows->tables.ids, rows->tables.owned, topology.residues.size());
  start = {};  // frees memory before tables are built
  take_rows(*rows);
  place_local_rows();
}

template <class Precision>
device::JobDevices& StepEngine<Precision>::devices() {
  if (!settings_.devices) settings_.devices = std::make_shared<device::JobDevices>(communicator_);
  return *settings_.devices;
}

// --- Owned rows; step_ownership.cpp has repartition.

/// Collective. Lays out local rows, their ids and their records in the order of the halo plan.
template <class Precision>
kernels::PairRecords<Precision> StepEngine<Precision>::place_local_rows() {
  const auto& planner = ghosts_.planner();
  [[maybe_unused]] const bool has_moved = state_.reserve_rows(planner.rows());
  forces_.set_local(planner.row_id(), planner.rows());
#ifdef KOKKOS_ENABLE_CUDA
  forces_.place_rows(
      ghosts_.shared_records(forces_.record_count(), forces_.charged_record_count()));
  if (pipeline_) pipeline_->rows_were_placed(has_moved);
#endif
  rows_are_placed_ = true;
  round_coordinates();
  return forces_.records();
}

template <class Precision>
void StepEngine<Precision>::restore_state(const system::State& mine) {
  device::fence();
  state_.put_back(mine);
  reset_to_state(mine.step);
}

// --- Blocks of steps.

template <class Precision>
void StepEngine<Precision>::advance(std::int64_t steps) {
  const std::int64_t target = step_ + steps;
  lists_.start_clock();
  busy_clock_.start();
  bool is_timed_by_host = true;
#ifdef KOKKOS_ENABLE_CUDA
  if (BlockPipeline<Precision>::can_record(*this)) {
    is_timed_by_host = false;
    if (!pipeline_) pipeline_ = std::make_unique<BlockPipeline<Precision>>(*this);
    pipeline_->advance_to(target);
  } else {
    advance_step_by_step(target);
  }
#else
  advance_step_by_step(target);
#endif
  busy_clock_.stop(steps, is_timed_by_host);
  lists_.stop_clock();
}

template <class Precision>
void StepEngine<Precision>::advance_step_by_step(std::int64_t target) {
  bool step_by_step = false;  // searching for the step that explodes
  bool careful = false;       // a single step from fresh lists moved a residue too far
  while (step_ < target) {
    if (!lists_are_current_ || lists_.are_due()) rebuild();
    const std::int64_t block =
        step_by_step || careful ? 1 : lists_.next_block_steps(target - step_);
    state_.save();
    const std::int64_t start = step_;
    const bool lists_were_fresh = lists_.are_fresh();
    const auto [outcome, moved_fraction] = run_block(block, careful);
    if (outcome == Outcome::good) {
      careful = false;
      lists_.record_valid(block, moved_fraction);
      continue;
    }
    lists_.record_invalid(block);
    restore(0, start);
    count_replay();
    if (outcome == Outcome::exploded) {
      if (block == 1) report_explosion();
      step_by_step = true;
    } else {
      careful = block == 1 && lists_were_fresh;
    }
  }
}

/// careful: rebuilds lists after each drift, independent of the residue moves.
template <class Precision>
typename StepEngine<Precision>::BlockEnd StepEngine<Precision>::run_block(std::int64_t steps,
                                                                          bool careful) {
  marks_.clear();
  ensure_forces();
  for (std::int64_t i = 0; i < steps; ++i) {
    const telemetry::StepSpan span(step_);
    if (i == 0) {
      integrate<false, true>(this_step());
    } else {
      integrate<true, true>(this_step());
    }
    ++step_;
    if (careful || must_rebuild_now()) {
      marks_.clear(StepMarks::moved);
      rebuild();
    }
    compute_forces();
  }
  integrate<true, false>(this_step());
  device::fence();
  return reduce_block_end();
}

/// Returns true if a single CPU rank must rebuild lists within a block, before the next forces.
template <class Precision>
bool StepEngine<Precision>::must_rebuild_now() const {
  if constexpr (!device::on_host) return false;
  return communicator_.size() == 1 && settings_.rebuild_every == 0 &&
         marks_.element(StepMarks::moved) != 0;
}

/// One collective reduction: the worst flag of any rank and the largest move of any residue.
template <class Precision>
typename StepEngine<Precision>::BlockEnd StepEngine<Precision>::reduce_block_end() {
  const auto marks = marks_.download();
  std::int64_t worst = marks[StepMarks::moved] != 0 ? 2 : marks[StepMarks::exploded] != 0 ? 1 : 0;
  const double limit = 0.5 * lists_.skin_nm();
  const auto parts = static_cast<std::int64_t>(std::min(1e6, 1e3 * largest_move_nm() / limit));
  worst = communicator_.max(worst * 10'000'000 + parts);
  const double moved_fraction = 1e-3 * static_cast<double>(worst % 10'000'000);
  worst /= 10'000'000;
  return {worst == 2   ? Outcome::moved
          : worst == 1 ? Outcome::exploded
                       : Outcome::good,
          moved_fraction};
}

template <class Precision>
void StepEngine<Precision>::restore(int copy, std::int64_t step) {
  state_.go_back_to(copy);
  reset_to_state(step);
}

/// Updates the step number and coordinates after the exact state was replaced; lists and forces
/// become outdated.
template <class Precision>
void StepEngine<Precision>::reset_to_state(std::int64_t step) {
  step_ = step;
  round_coordinates();
  forces_are_current_ = false;
  lists_are_current_ = false;
}

template <class Precision>
void StepEngine<Precision>::report_explosion() {
  const auto all = gather_state(communicator_, owned_state());
  std::string text;
  if (communicator_.is_root()) {
    text = describe_explosion(topology_, all, settings_.time_step_ps);
  }
  throw ExplosionError(communicator_.broadcast(text));
}

// --- The parts of a step.

template <class Precision>
template <bool finish, bool begin>
void StepEngine<Precision>::integrate(const IntegrationLaunch& launch) {
  const telemetry::PartSpan span(telemetry::Phase::integrate);
  const auto launch_as = [&](auto loop) {
    loop.gather = gather(begin);
    loop.constants = constants_;
    loop.step = launch.step;
    loop.position = state_.position.view();
    loop.velocity = state_.velocity.view();
    loop.coordinate =
        launch.writes_columns ? state_.coordinate.view() : kernels::Columns<Coordinate>{};
#ifdef KOKKOS_ENABLE_CUDA
    loop.records = forces_.records(launch.set);
    if (launch.pushes) loop.records.push = ghosts_.peers()->push(launch.set);
    if (launch.saved >= 0) {
      loop.saved_position = state_.saved_position[static_cast<std::size_t>(launch.saved)].view();
      loop.saved_velocity = state_.saved_velocity[static_cast<std::size_t>(launch.saved)].view();
    }
#else
    loop.records = forces_.records();
#endif
    loop.scale = forces_.scale();
    loop.listed = state_.listed.read();
    loop.kicks = state_.kicks.view();
    loop.owned = state_.owned;
    loop.residue = ghosts_.planner().row_id();
    const double skin_nm = lists_.skin_nm();
    loop.largest_move_squared = static_cast<Real>(0.25 * skin_nm * skin_nm * (1 - 1e-5));
    loop.largest_found = launch.largest;
    loop.marks = {marks_.at(launch.moved), marks_.at(StepMarks::exploded)};
    device::launch("integrate", state_.items(), loop);
  };
  if (settings_.integrator == Integrator::langevin_baoab) {
    launch_as(kernels::IntegrateLoop<Precision, true, finish, begin>{});
  } else {
    launch_as(kernels::IntegrateLoop<Precision, false, finish, begin>{});
  }
}

/// Computes interior items while ghosts are exchanged. A GPU adds term forces to totals, which are
/// cleared first.
template <class Precision>
void StepEngine<Precision>::compute_forces() {
  if (!device::on_host && tables_.has_terms()) {
    device::launch("clear term forces", state_.owned, ClearForces{tables_.term_force.view()});
  }
  int* const exploded = marks_.at(StepMarks::exploded);
  const auto coordinate = state_.coordinate.read();
  if (ghosts_.is_needed()) ghosts_.start(coordinate);
  forces_.compute(forces::Part::interior, tables_, coordinate, exploded);
  if (ghosts_.is_needed()) {
    ghosts_.finish(state_.coordinate.view(), forces_.records());
    forces_.compute(forces::Part::border, tables_, coordinate, exploded);
  }
  if (biases_.any()) add_bias_forces();
}

/// Adds bias forces to the totals that the integrator gathers of each row.
template <class Precision>
void StepEngine<Precision>::add_bias_forces() {
#ifdef KOKKOS_ENABLE_CUDA
  const auto total = tables_.term_force.view();
#else
  const auto total = forces_.pair_force.view();
#endif
  const telemetry::PartSpan span(telemetry::Phase::bonded);
  biases_.add_forces(communicator_, state_.position.read(), total, marks_.at(StepMarks::exploded));
}

template <class Precision>
void StepEngine<Precision>::ensure_forces() {
  if (!lists_are_current_) rebuild();
  if (forces_are_current_) return;
  compute_forces();
  forces_are_current_ = true;
}

template <class Precision>
void StepEngine<Precision>::round_coordinates() {
  if (!rows_are_placed_) return;  // place_local_rows() rounds later
  device::launch("round coordinates", state_.items() * kernels::lanes,
                 RoundCoordinates<Precision>{state_.position.read(), state_.coordinate.view(),
                                             forces_.records(), state_.owned});
}

template <class Precision>
void StepEngine<Precision>::store_forces() {
  device::launch("store forces", state_.items(),
                 kernels::StoreForceLoop<Precision>{gather(), state_.total_force.view()});
}

template <class Precision>
double StepEngine<Precision>::largest_move_nm() {
  double largest = 0;
  if (state_.owned > 0) {
    Kokkos::parallel_reduce(
        "largest move",
        Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, state_.owned),
        LargestMove<Precision>{state_.coordinate.read(), state_.listed.read(),
                               forces::coordinate_scale<Precision, double>(topology_.box)},
        Kokkos::Max<double>(largest));
  }
  return std::sqrt(std::max(0.0, largest));
}

// --- Observables and snapshots.

template <class Precision>
Energies StepEngine<Precision>::energies() {
  return compute_energies(*this);
}
template <class Precision>
std::vector<double> StepEngine<Precision>::screened_energies(
    const std::vector<double>& kappa_per_nm) {
  return compute_screened_energies(*this, kappa_per_nm);
}
template <class Precision>
Pressure StepEngine<Precision>::pressure() {
  return compute_pressure(*this);
}
template <class Precision>
MinimiserResult StepEngine<Precision>::minimise(const MinimiserSettings& settings) {
  return minimise_energy(*this, settings);
}
template <class Precision>
std::vector<std::array<double, 3>> StepEngine<Precision>::owned_forces() {
  return compute_owned_forces(*this);
}
template <class Precision>
std::vector<PartTime> StepEngine<Precision>::part_times() {
  return measure_parts(*this);
}
template <class Precision>
system::State StepEngine<Precision>::owned_state() const {
  device::fence();
  return state_.download(step_, tables_.ids);
}
template <class Precision>
std::vector<system::FixedPosition> StepEngine<Precision>::owned_positions() const {
  device::fence();
  return state_.position.download(state_.owned);
}
template <class Precision>
std::vector<system::FixedPosition> StepEngine<Precision>::positions_of_rows(
    const std::vector<int>& rows) const {
  device::DeviceArray<int> row("picked.row");
  device::DeviceColumns<std::int64_t> picked("picked.position");
  row.upload(rows);
  const auto count = static_cast<std::int64_t>(rows.size());
  picked.reserve(count);
  device::launch("pick positions", static_cast<int>(count),
                 kernels::PickPositions{row.data(), state_.position.read(), picked.view()});
  device::fence();
  return picked.download(count);
}
template <class Precision>
RowSnapshot StepEngine<Precision>::snapshot_state() {
  RowSnapshot rows;
#ifdef KOKKOS_ENABLE_CUDA
  device::fence();
  if (!held_) held_ = std::make_unique<DeviceSnapshot>();
  rows.had_capacity =
      held_->take(state_.position, state_.velocity, state_.owned, settings_.devices);
  if (rows.had_capacity) {
    const auto& ids = tables_.ids;
    rows.fetch = [held = held_.get(),
                  mine = std::vector<int>(ids.begin(), ids.begin() + state_.owned)]() mutable {
      return system::StateSource(
          std::move(mine), [held](std::size_t first, const auto& position, const auto& velocity) {
            held->read(first, position, velocity);
          });
    };
    return rows;
  }
#endif
  rows.fetch = [mine = owned_state()]() mutable { return std::move(mine); };
  return rows;
}
template <class Precision>
void StepEngine<Precision>::visit_positions_nm(const PositionVisit& visit, int residues_at_a_time) {
  visit_all_positions(*this, visit, residues_at_a_time);
}
template <class Precision>
EngineStatistics StepEngine<Precision>::statistics() const {
  auto statistics = statistics_;
  ghosts_.report(statistics);
  statistics.pair_entries = lists_are_current_ ? forces_.list_entries() : 0;
  statistics.charged_pair_entries = lists_are_current_ ? forces_.charge_list_entries() : 0;
  tables_.for_each_set([&statistics](auto kind, const auto& set) {
    statistics.term_work += kind.work * set.ends() * set.terms();
  });
  statistics.time = busy_clock_.sum();
  statistics.owned = state_.owned;
  statistics.skin_nm = lists_.skin_nm();
  statistics.skin_is_settled = lists_.skin_is_settled();
  statistics.memory_bytes = device::device_bytes_held();
  return statistics;
}

#define NFOLD_INSTANTIATE(Precision)                                                     \
  template class StepEngine<Precision>;                                                  \
  template void StepEngine<Precision>::integrate<true, true>(const IntegrationLaunch&);  \
  template void StepEngine<Precision>::integrate<false, true>(const IntegrationLaunch&); \
  template void StepEngine<Precision>::integrate<true, false>(const IntegrationLaunch&);
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::engine
