// Blocks of steps, rebuilds and their agreement between ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamics/step_engine.hpp"

#include <algorithm>
#include <limits>

#include "dynamics/step_constants.hpp"
#include "dynamics/temperature.hpp"

namespace nfold::dynamics {

namespace {

/// Steps between two saved states where nothing else bounds a block.
constexpr std::int64_t longest_block = 500;

/// Largest squared move since the lists were made: only steers when the next rebuild comes.
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

/// Work item: one row.
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
  int owned;  // rows beyond only pad
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
                                  const EngineSettings& settings, const system::State& start,
                                  domain::Ownership owner)
    : communicator_(communicator),
      topology_(topology),
      settings_(settings),
      degrees_of_freedom_(degrees_of_freedom(topology, settings, start)),
      owner_(std::move(owner)),
      step_(start.step),
      forces_(topology),
      planner_(communicator, topology.box) {
  if (settings_.skin_nm <= 0) {
    settings_.skin_nm = 0.1 + (device::on_host ? 0.1 : 0.05) * forces_.reach_nm();
    if (settings_.rebuild_every == 0) skin_tuner_.emplace(settings_.skin_nm);
  }
  constants_ = step_constants(topology.box, settings_);
  marks_.reserve(mark_count);
  choose_transport();
  take_rows(start);
}

template <class Precision>
void StepEngine<Precision>::take_rows(const system::State& all) {
  tables_.emplace(communicator_, topology_, owner_, settings_.contact_strength);
  owned_ = tables_->owned;
  const auto rows = static_cast<std::int64_t>(kernels::padded(owned_));
  // One column at a time: a GPU may hold more residues than the host has room for copies.
  const auto by_row = [&](auto&& value_of) {
    std::vector<std::decay_t<decltype(value_of(std::size_t{}))>> values(
        static_cast<std::size_t>(rows));
    for (std::size_t row = 0; row < static_cast<std::size_t>(owned_); ++row) {
      values[row] = value_of(static_cast<std::size_t>(tables_->ids[row]));
    }
    return values;
  };
  position_.upload(by_row([&](std::size_t id) { return all.position[id]; }));
  velocity_.upload(by_row([&](std::size_t id) { return all.velocity[id]; }));
  {
    const auto mass_amu = by_row([&](std::size_t id) { return topology_.residues[id].mass_amu; });
    mass_.upload(mass_amu);
    kicks_.build(mass_amu, [&](double mass) {
      return kick_of(mass, settings_.temperature_kelvin, settings_.time_step_ps,
                     constants_.velocity_decay, Precision::force_quantum);
    });
  }
  for (std::size_t copy = 0; copy < (device::on_host ? 1 : 2); ++copy) {
    saved_position_[copy].reserve(rows);
    saved_velocity_[copy].reserve(rows);
  }
  if (!device::on_host && communicator_.size() > 1) planning_position_.reserve(rows);
  total_force_.reserve(rows);
  forces_are_current_ = false;
  lists_are_current_ = false;
#ifdef KOKKOS_ENABLE_CUDA
  skin_is_bounded_ = false;
#endif
  const auto ids = std::span<const int>(tables_->ids).first(static_cast<std::size_t>(owned_));
  const auto is_charged = [&](std::size_t id) -> char {
    return topology_.residues[id].charge_e != 0 ? 1 : 0;
  };
  planner_.set_rows(ids, tables_->local_terms(), owner_, by_row(is_charged));
  planned_.reset();
  forces_.set_owned(topology_, tables_->ids, owned_);
  set_local_rows();
}

template <class Precision>
void StepEngine<Precision>::round_coordinates() {
  device::launch(
      "round coordinates", owned_items() * kernels::lanes,
      RoundCoordinates<Precision>{position_.read(), coordinate_.view(), forces_.records(), owned_});
}

template <class Precision>
void StepEngine<Precision>::save() {
  saved_position_[0].copy_from(position_, owned_);
  saved_velocity_[0].copy_from(velocity_, owned_);
}

template <class Precision>
void StepEngine<Precision>::restore(int copy) {
  position_.copy_from(saved_position_[static_cast<std::size_t>(copy)], owned_);
  velocity_.copy_from(saved_velocity_[static_cast<std::size_t>(copy)], owned_);
  round_coordinates();
  forces_are_current_ = false;
  lists_are_current_ = false;
}

/// At a rebuild: what the last lists cost, agreed on by all ranks.
template <class Precision>
void StepEngine<Precision>::choose_skin() {
  if (!skin_tuner_) return;
  const auto now = Clock::now();
  lap_seconds_ += std::chrono::duration<double>(now - lap_start_).count();
  lap_start_ = now;
  if (step_ > lap_step_) {
    const auto nanoseconds = communicator_.max(std::llround(1e9 * lap_seconds_));
    settings_.skin_nm =
        skin_tuner_->next(step_ - lap_step_, 1e-9 * static_cast<double>(nanoseconds));
  }
  lap_seconds_ = 0;
  lap_step_ = step_;
}

template <class Precision>
void StepEngine<Precision>::rebuild() {
  choose_skin();
  if (communicator_.size() > 1) {
    if (!plan_lasts()) make_plan();
    exchange_ghosts();
  }
  forces_.build_lists(local_rows(), *tables_, settings_.skin_nm);
  lists_are_current_ = true;
  // A GPU keeps the forces on charges by slot, and slots are others now.
  if (!device::on_host) forces_are_current_ = false;
  steps_since_rebuild_ = 0;
  ++statistics_.rebuilds;
}

template <class Precision>
void StepEngine<Precision>::compute_forces() {
  if (!device::on_host && tables_->has_terms()) {
    device::launch("clear term forces", owned_, ClearForces{tables_->term_force.view()});
  }
  compute_forces_on_cleared();
}

/// Border rows travel while the interior is computed. On a GPU the totals of the terms are zero
/// before, as the integrator leaves them when it begins a step.
template <class Precision>
void StepEngine<Precision>::compute_forces_on_cleared() {
  int* const exploded = marks_.data() + exploded_mark;
  const bool has_ghosts = communicator_.size() > 1;
  if (has_ghosts) halo().start(coordinate_.read());
  forces_.compute(forces::Part::interior, *tables_, coordinate_.read(), exploded);
  if (has_ghosts) {
    halo().finish(coordinate_.view(), forces_.records());
    forces_.compute(forces::Part::border, *tables_, coordinate_.read(), exploded);
  }
}

template <class Precision>
void StepEngine<Precision>::ensure_forces() {
  if (!lists_are_current_) rebuild();
  if (forces_are_current_) return;
  compute_forces();
  forces_are_current_ = true;
}

template <class Precision>
template <bool finish, bool begin>
void StepEngine<Precision>::integrate(const IntegrationLaunch& drift) {
  const auto launch_as = [&](auto loop) {
    loop.gather = gather(begin);
    loop.constants = constants_;
    loop.step = drift.step;
    loop.position = position_.view();
    loop.velocity = velocity_.view();
    loop.coordinate = drift.writes_columns ? coordinate_.view() : kernels::Columns<Coordinate>{};
#ifdef KOKKOS_ENABLE_CUDA
    loop.records = forces_.records(drift.set);
    if (drift.pushes) loop.records.push = peers_->push(drift.set);
    if (drift.saved >= 0) {
      loop.saved_position = saved_position_[static_cast<std::size_t>(drift.saved)].view();
      loop.saved_velocity = saved_velocity_[static_cast<std::size_t>(drift.saved)].view();
    }
#else
    loop.records = forces_.records();
#endif
    loop.scale = forces_.scale();
    loop.listed = listed_.read();
    loop.kicks = kicks_.view();
    loop.owned = owned_;
    loop.residue = planner_.row_id();
    loop.largest_move_squared =
        static_cast<Real>(0.25 * settings_.skin_nm * settings_.skin_nm * (1 - 1e-5));
    loop.largest_found = drift.largest;
    loop.marks = {marks_.data() + drift.moved, marks_.data() + exploded_mark};
    device::launch("integrate", owned_items(), loop);
  };
  if (settings_.integrator == Integrator::langevin_baoab) {
    launch_as(kernels::IntegrateLoop<Precision, true, finish, begin>{});
  } else {
    launch_as(kernels::IntegrateLoop<Precision, false, finish, begin>{});
  }
}

/// Alone on a CPU the mark can be read at once, and lists be made anew before forces need them.
template <class Precision>
bool StepEngine<Precision>::moved_here() const {
  if constexpr (!device::on_host) return false;
  return communicator_.size() == 1 && settings_.rebuild_every == 0 &&
         marks_.element(moved_mark) != 0;
}

/// careful: new lists after each drift, whatever the residues did.
template <class Precision>
typename StepEngine<Precision>::Outcome StepEngine<Precision>::run_block(std::int64_t steps,
                                                                         bool careful) {
  marks_.fill(0);
  ensure_forces();
  for (std::int64_t i = 0; i < steps; ++i) {
    if (i == 0) {
      integrate<false, true>(eager_drift());
    } else {
      integrate<true, true>(eager_drift());
    }
    ++step_;
    if (careful || moved_here()) {
      marks_.set(moved_mark, 0);
      rebuild();
    }
    compute_forces();
  }
  integrate<true, false>(eager_drift());
  device::fence();
  return agree_on_outcome();
}

/// Of any owned residue since the lists were made.
template <class Precision>
double StepEngine<Precision>::largest_move_nm() const {
  double largest = 0;
  if (owned_ > 0) {
    Kokkos::parallel_reduce(
        "largest move", Kokkos::RangePolicy<device::Space>(device::execution_space(), 0, owned_),
        LargestMove<Precision>{coordinate_.read(), listed_.read(),
                               forces::scale_of<Precision, double>(topology_.box)},
        Kokkos::Max<double>(largest));
  }
  return std::sqrt(std::max(0.0, largest));
}

/// One collective: the worst mark of any rank and the largest move of any residue.
template <class Precision>
typename StepEngine<Precision>::Outcome StepEngine<Precision>::agree_on_outcome() {
  const auto marks = marks_.download(mark_count);
  std::int64_t worst = marks[moved_mark] != 0 ? 2 : marks[exploded_mark] != 0 ? 1 : 0;
  const double limit = 0.5 * settings_.skin_nm;
  const auto parts = static_cast<std::int64_t>(std::min(1e6, 1e3 * largest_move_nm() / limit));
  worst = communicator_.max(worst * 10'000'000 + parts);
  moved_fraction_ = 1e-3 * static_cast<double>(worst % 10'000'000);
  worst /= 10'000'000;
  return worst == 2 ? Outcome::moved : worst == 1 ? Outcome::exploded : Outcome::good;
}

template <class Precision>
std::int64_t StepEngine<Precision>::next_block_length(std::int64_t remaining) const {
  if (settings_.rebuild_every > 0) {
    return std::min<std::int64_t>(remaining, settings_.rebuild_every - steps_since_rebuild_);
  }
  if (device::on_host && communicator_.size() == 1) return std::min(remaining, longest_block);
  return std::min(remaining, std::max<std::int64_t>(1, list_lifetime_ - steps_since_rebuild_));
}

/// Lists should last until the fastest residue has used most of what the skin allows.
template <class Precision>
void StepEngine<Precision>::learn_from_block(Outcome outcome, std::int64_t steps) {
  if (outcome != Outcome::good) {
    list_lifetime_ =
        std::max<std::int64_t>(1, std::min(list_lifetime_, steps_since_rebuild_ + steps) * 2 / 3);
    return;
  }
  if (steps_since_rebuild_ < list_lifetime_) return;
  const double growth = std::clamp(0.85 / std::max(0.01, moved_fraction_), 0.7, 1.25);
  const auto grown = std::llround(static_cast<double>(list_lifetime_) * growth);
  // At least one step more: a short life times 1.25 would round to itself for ever.
  list_lifetime_ = std::clamp<std::int64_t>(
      growth > 1.1 ? std::max<std::int64_t>(grown, list_lifetime_ + 1) : grown, 1, 1000);
}

template <class Precision>
void StepEngine<Precision>::advance(std::int64_t steps) {
  const std::int64_t target = step_ + steps;
  lap_start_ = Clock::now();
#ifdef KOKKOS_ENABLE_CUDA
  if (can_record()) {
    advance_by_graphs(target);
  } else {
    advance_step_by_step(target);
  }
#else
  advance_step_by_step(target);
#endif
  lap_seconds_ += std::chrono::duration<double>(Clock::now() - lap_start_).count();
}

template <class Precision>
void StepEngine<Precision>::advance_step_by_step(std::int64_t target) {
  bool step_by_step = false;  // looking for the step that explodes
  bool careful = false;       // a single step from fresh lists moved too far for them
  while (step_ < target) {
    if (!lists_are_current_ || lists_are_due()) rebuild();
    const std::int64_t block = step_by_step || careful ? 1 : next_block_length(target - step_);
    save();
    const std::int64_t start = step_;
    const bool lists_were_fresh = steps_since_rebuild_ == 0;
    const Outcome outcome = run_block(block, careful);
    if (outcome == Outcome::good) {
      steps_since_rebuild_ += block;
      careful = false;
      learn_from_block(outcome, block);
      continue;
    }
    learn_from_block(outcome, block);
    step_ = start;
    restore();
    ++statistics_.replayed_blocks;
    if (outcome == Outcome::exploded) {
      if (block == 1) report_explosion();
      step_by_step = true;
    } else {
      careful = block == 1 && lists_were_fresh;
    }
  }
}

template <class Precision>
bool StepEngine<Precision>::lists_are_due() const {
  if (settings_.rebuild_every > 0) return steps_since_rebuild_ >= settings_.rebuild_every;
  return !(device::on_host && communicator_.size() == 1) && steps_since_rebuild_ >= list_lifetime_;
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

template <class Precision>
void StepEngine<Precision>::set_owner(domain::Ownership owner) {
  const auto all = all_gather_state(communicator_, owned_state());
  owner_ = std::move(owner);
  take_rows(all);
}

template class StepEngine<kernels::Mixed>;
template class StepEngine<kernels::Full>;
template void StepEngine<kernels::Mixed>::integrate<true, true>(const IntegrationLaunch&);
template void StepEngine<kernels::Mixed>::integrate<false, true>(const IntegrationLaunch&);
template void StepEngine<kernels::Mixed>::integrate<true, false>(const IntegrationLaunch&);
template void StepEngine<kernels::Full>::integrate<true, true>(const IntegrationLaunch&);
template void StepEngine<kernels::Full>::integrate<false, true>(const IntegrationLaunch&);
template void StepEngine<kernels::Full>::integrate<true, false>(const IntegrationLaunch&);

}  // namespace nfold::dynamics
