// Steps as recorded graphs: blocks are started ahead, and judged when their verdict has come.
// SPDX-License-Identifier: BSD-3-Clause
//
// A block saves the state, drifts, makes lists for the new coordinates, and goes on for as many
// steps as they should last. Between blocks the velocities lack the second half of the last kick. A
// block whose verdict is bad is undone, with the one that was started after it, and its steps done
// again with lists that are made more often or have more room; noise is addressed by step, so that
// no bit depends on it.
#include <fmt/format.h>

#include <chrono>
#include <deque>
#include <optional>
#include <utility>

#include "comm/watchdog.hpp"
#include "dynamics/step_engine.hpp"
#include "halo/cuda/plan_pace.hpp"
#include "kernels/halo/halo_rows.hpp"

namespace nfold::dynamics {

namespace {

/// Longer than what waits on the GPU take, which know more of the reason.
constexpr std::chrono::seconds watch_patience{75};

}  // namespace

template <class Precision>
bool StepEngine<Precision>::can_record() const {
  if (!settings_.record_steps) return false;
  return communicator_.size() == 1 ? owned_ > 0 : peers_ != nullptr || halo_.is_stream_ordered();
}

/// Waits for what peers have written and puts the coordinates of the rows below `last` into the
/// columns.
template <class Precision>
void StepEngine<Precision>::take_pushed_ghosts(const kernels::HaloFlags& flags, int set, int last) {
  constexpr int threads = 256;
  const int ghosts = std::max(0, last - owned_);
  // At least one block, to raise flags.
  device::start_kernel("take ghosts", kernels::take_ghosts<Precision>,
                       std::max(1, (ghosts + threads - 1) / threads), threads, flags,
                       static_cast<const kernels::PackedRow<Precision>*>(forces_.records(set).row) +
                           forces_.ghost_shift(),
                       owned_, last, forces_.rows_present(), coordinate_.view());
}

template <class Precision>
void StepEngine<Precision>::record_block(std::int64_t steps, bool begins, int saved, int set) {
  BlockState* const state = graphs_->state();
  int* const exploded = marks_.data() + exploded_mark;
  const bool has_ghosts = peers_ && peers_->has_peers();  // that peers write here
  const bool fetches = halo_.is_stream_ordered() && halo_.has_peers();
  for (std::int64_t i = 0; i < steps; ++i) {
    if (has_ghosts) set = 1 - set;
    IntegrationLaunch drift{{&state->step, static_cast<std::uint64_t>(i)}};
    drift.set = set;
    drift.pushes = has_ghosts;
    if (i == 0) {
      drift.moved = unread_mark;
      drift.saved = saved;
    }
    // Lists are made from the columns, and terms read them.
    drift.writes_columns = i == 0 || fetches || tables_->has_terms();
    if (i == steps - 1 && i > 0) {
      drift.largest = &state->largest_move_squared;
    }
    if (i == 0 && begins) {
      integrate<false, true>(drift);
    } else {
      integrate<true, true>(drift);
    }
    if (fetches) exchange_ghosts();
    kernels::HaloFlags flags{};
    if (has_ghosts) {
      flags = peers_->flags(&state->exchanges, static_cast<std::uint64_t>(i) + 1, &state->lost);
    }
    if (i == 0) {
      if (has_ghosts) take_pushed_ghosts(flags, set, forces_.row_count());
      if (communicator_.size() > 1) {
        device::launch("planned move", owned_,
                       KeepPlannedMove{planner_.find_largest_move(position_.read()), state});
      }
      forces_.enqueue_lists(local_rows(), *tables_, settings_.skin_nm, copied_rows());
    } else if (has_ghosts && tables_->has_terms()) {
      take_pushed_ghosts(flags, set, planner_.fixed_rows());
    }
    const bool waits = has_ghosts && i > 0 && !tables_->has_terms();
    forces_.compute_recorded(*tables_, coordinate_.read(), exploded, i > 0, set,
                             waits ? &flags : nullptr);
  }
  device::launch("give verdict", 1,
                 GiveVerdict{marks_.data() + moved_mark, exploded, forces_.wanted(), state,
                             graphs_->verdicts(), static_cast<std::uint64_t>(steps)});
}

/// As kernels::HaloPush has them; null: no ghosts will be waited for.
template <class Precision>
const int* StepEngine<Precision>::copied_rows() const {
  if (peers_) return peers_->has_peers() ? peers_->first_copy() : nullptr;
  return halo_.has_peers() ? halo_.first_copy() : nullptr;
}

template <class Precision>
void StepEngine<Precision>::start_recorded_block(std::int64_t steps, bool begins, int saved) {
  const bool has_ghosts = peers_ && peers_->has_peers();
  const int set = has_ghosts ? static_cast<int>(exchanges_ % 2) : 0;
  const int version = forces_.version() + (peers_ ? peers_->version() : 0);
  graphs_->start({static_cast<int>(steps), begins, saved, set, settings_.skin_nm, version},
                 [&] { record_block(steps, begins, saved, set); });
  exchanges_ += steps;
}

/// Before blocks from a state that the host knows. Collective.
template <class Precision>
void StepEngine<Precision>::restart_blocks() {
  marks_.fill(0);
  forces_.forget_wanted();
  if (peers_) peers_->restart();
  graphs_->restart(step_);
  exchanges_ = 0;
}

/// The tuner must not end a run by lists that find no room. Collective.
template <class Precision>
void StepEngine<Precision>::bound_skin() {
  constexpr double usable = 0.9;      // of what is free
  constexpr double round_up = 1.125;  // of the lists' room, when they grow
  const auto free_bytes = static_cast<double>(device::free_memory(devices()).device_bytes);
  const auto held = static_cast<double>(std::max<std::int64_t>(1, forces_.list_bytes()));
  // Entries grow with the volume within reach, those of the shorter reach faster.
  const double short_nm = forces_.short_range_nm(), charge_nm = forces_.charge_range_nm();
  const double reach_nm = charge_nm > 0 ? std::min(short_nm, charge_nm) : short_nm;
  const double growth = (held + usable * free_bytes) / (round_up * held);
  const double longest_nm = (reach_nm + settings_.skin_nm) * std::cbrt(growth) - reach_nm;
  const std::int64_t agreed = communicator_.min(std::llround(1e6 * longest_nm));
  skin_tuner_->bound(1e-6 * static_cast<double>(agreed));
  skin_is_bounded_ = true;
}

/// Between two blocks: the positions from which prepare_plan_aside() will plan while steps go on.
template <class Precision>
void StepEngine<Precision>::keep_for_planning() {
  if (!side_) side_.emplace();
  device::launch("keep for planning", owned_,
                 kernels::CopyRows<std::int64_t>{position_.read(), planning_position_.view()});
  side_->follow_first();
  has_kept_for_planning_ = true;
}

/// While blocks are under way. Collective.
template <class Precision>
void StepEngine<Precision>::prepare_plan_aside() {
  const halo::HaloRanges ranges = halo_ranges();
  side_->run([&] { planner_.prepare(planning_position_.read(), ranges); });
  has_kept_for_planning_ = false;
  prepared_ = ranges;
}

/// Between two blocks: forces and velocities stay as they are. Collective.
template <class Precision>
void StepEngine<Precision>::renew_plan() {
  if (prepared_) {
    adopt_plan(planning_position_.read(), *prepared_);
  } else {
    make_plan();
  }
  forget_planning();
  if (peers_ && peers_->needs_restart()) restart_blocks();
}

/// Of a plan that nobody may need any more.
template <class Precision>
void StepEngine<Precision>::forget_planning() {
  has_kept_for_planning_ = false;
  prepared_.reset();
}

/// This rank's. A device or a peer that hangs would hold up whoever tidies up after it, and ranks
/// that hang cannot be told: this process says so and ends all.
template <class Precision>
BlockVerdict StepEngine<Precision>::next_verdict() {
  std::string hangs;
  BlockVerdict verdict{};
  try {
    verdict = graphs_->wait();
    if (verdict.lost != 0) {
      hangs = fmt::format("no border residues came within {} s from another rank's GPU",
                          kernels::halo_patience_s);
    }
  } catch (const DeviceHangs& error) {
    hangs = error.what();
  }
  if (hangs.empty()) return verdict;
  fmt::print(stderr,
             "nfold: error: rank {}, after step {}: {}; the GPU or the process there hangs. All "
             "ranks end; the last checkpoint stands, --resume goes on from it\n",
             communicator_.rank(), step_, hangs);
  communicator_.abort(3);
}

/// The worst of all ranks' verdicts, and the longest time of any. Collective.
template <class Precision>
BlockVerdict StepEngine<Precision>::agree_on(BlockVerdict verdict) {
  struct Report {
    BlockVerdict verdict;
    double seconds;
  };
  const auto now = Clock::now();
  lap_seconds_ += std::chrono::duration<double>(now - lap_start_).count();
  lap_start_ = now;
  const Report mine{verdict, lap_seconds_};
  if (communicator_.size() > 1) {
    for (const auto& [other, seconds] :
         communicator_.all_gather(std::span<const Report>(&mine, 1))) {
      verdict.moved |= other.moved;
      verdict.exploded |= other.exploded;
      verdict.lost |= other.lost;
      verdict.wanted[0] = std::max(verdict.wanted[0], other.wanted[0]);
      verdict.wanted[1] = std::max(verdict.wanted[1], other.wanted[1]);
      verdict.largest_move_squared =
          std::max(verdict.largest_move_squared, other.largest_move_squared);
      verdict.planned_move_squared =
          std::max(verdict.planned_move_squared, other.planned_move_squared);
      lap_seconds_ = std::max(lap_seconds_, seconds);
    }
  }
  return verdict;
}

/// To the state at the start of a block, with whole-step velocities and forces.
template <class Precision>
void StepEngine<Precision>::go_back_to(int saved, std::int64_t step, bool begins) {
  device::fence();
  restore(saved);
  step_ = step;
  ensure_forces();
  if (!begins) integrate<true, false>(eager_drift());
  device::fence();
  restart_blocks();
}

template <class Precision>
void StepEngine<Precision>::learn_from_verdict(const BlockVerdict& verdict, std::int64_t steps,
                                               double skin_nm) {
  if (verdict.moved != 0) {
    pace_.was_too_slow();
  } else {
    pace_.learn(steps - 1, std::sqrt(static_cast<double>(verdict.largest_move_squared)));
  }
  if (!skin_tuner_) return;
  if (skin_nm != settings_.skin_nm) {  // a block that was under way when the skin changed
    lap_seconds_ = 0;
    lap_step_ = verdict.step;
    return;
  }
  // Long enough that the clock and the halo's plans do not matter.
  const std::int64_t lap_steps = verdict.step - lap_step_;
  const std::int64_t least_blocks = lap_seconds_ < 0.1 ? 10 : 4;
  if (lap_seconds_ < 0.05 || lap_steps < least_blocks * steps) return;
  settings_.skin_nm = skin_tuner_->next(lap_steps, lap_seconds_);
  lap_seconds_ = 0;
  lap_step_ = verdict.step;
}

template <class Precision>
void StepEngine<Precision>::advance_by_graphs(std::int64_t target) {
  if (!graphs_) graphs_ = std::make_unique<BlockGraphs>();
  struct Started {
    std::int64_t first, steps;
    bool begins;
    int saved;
    halo::HaloRanges ranges;
    double skin_nm;
  };
  std::optional<comm::Watchdog> watchdog;
  if (communicator_.size() > 1) {
    watchdog.emplace(watch_patience, [rank = communicator_.rank(), step = step_] {
      fmt::print(stderr,
                 "nfold: error: rank {}, after step {}: nothing moved for {} s; a rank or its GPU "
                 "hangs. All ranks end; the last checkpoint stands, --resume goes on from it\n",
                 rank, step, watch_patience.count());
    });
  }
  std::deque<Started> started;
  ensure_forces();
  device::fence();
  if (skin_tuner_ && !skin_is_bounded_) bound_skin();
  restart_blocks();
  forget_planning();
  std::int64_t next = step_;
  bool begins = true, one_by_one = false, plan_lasts = true, plan_is_due = false;
  int saved = 0;
  halo::PlanPace plan_pace;
  while (step_ < target) {
    while (next < target && started.size() < 2 && plan_lasts && !has_kept_for_planning_ &&
           !prepared_) {
      // The block that starts now is the plan's last, and the next plan is made while it runs.
      if (std::exchange(plan_is_due, false) && !started.empty()) keep_for_planning();
      const std::int64_t wanted =
          settings_.rebuild_every > 0 ? settings_.rebuild_every : pace_.lifetime(settings_.skin_nm);
      const std::int64_t steps = one_by_one ? 1 : std::min(target - next, wanted);
      start_recorded_block(steps, begins, saved);
      started.push_back({next, steps, begins, saved, halo_ranges(), settings_.skin_nm});
      next += steps;
      begins = false;
      saved = 1 - saved;
    }
    if (started.empty()) {
      renew_plan();
      plan_lasts = true;
      plan_is_due = false;
      plan_pace = {};
      continue;
    }
    if (has_kept_for_planning_ && started.size() == 1 && next < target) prepare_plan_aside();
    const BlockVerdict verdict = agree_on(next_verdict());
    if (watchdog) watchdog->feed();
    const Started block = started.front();
    started.pop_front();
    const bool too_little_room = verdict.wanted[0] > 0 || verdict.wanted[1] > 0;
    const double move_nm = std::sqrt(static_cast<double>(verdict.planned_move_squared));
    const bool ghosts_were_there =
        communicator_.size() == 1 || planned_->covers(block.ranges, move_nm);
    ++statistics_.rebuilds;
    if (verdict.moved == 0 && verdict.exploded == 0 && !too_little_room && ghosts_were_there) {
      step_ = block.first + block.steps;
      learn_from_verdict(verdict, block.steps, block.skin_nm);
      if (communicator_.size() > 1) {
        // One block is under way, and the plan must serve that and the next; if it will not serve
        // the one after as well, that is the last.
        plan_pace.learn(move_nm);
        plan_lasts = planned_->covers(halo_ranges(), plan_pace.move_after(3));
        plan_is_due = !planned_->covers(halo_ranges(), plan_pace.move_after(4));
      }
      continue;
    }
    ++statistics_.replayed_blocks;
    started.clear();
    forget_planning();
    plan_is_due = false;
    if (!ghosts_were_there) {
      planned_.reset();
    } else if (too_little_room) {
      device::fence();
      forces_.grow({verdict.wanted[0], verdict.wanted[1]});
      graphs_->clear();
    } else if (verdict.moved != 0) {
      learn_from_verdict(verdict, block.steps, block.skin_nm);
    }
    go_back_to(block.saved, block.first, block.begins);
    if (ghosts_were_there && !too_little_room && verdict.moved == 0) {
      if (block.steps == 1) report_explosion();
      one_by_one = true;
    }
    next = step_;
    begins = true;
    plan_lasts = true;
    plan_pace = {};
  }
  integrate<true, false>(eager_drift());
  round_coordinates();
  if (communicator_.size() > 1) exchange_ghosts();
  device::fence();
  forces_are_current_ = true;
  lists_are_current_ = true;
}

#define NFOLD_INSTANTIATE(Precision)                              \
  template bool StepEngine<Precision>::can_record() const;        \
  template const int* StepEngine<Precision>::copied_rows() const; \
  template void StepEngine<Precision>::advance_by_graphs(std::int64_t);
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::dynamics
