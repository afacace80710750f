// Captured blocks of steps: contents, launch order and outcomes.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/cuda/block_pipeline.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "comm/stall_report.hpp"
#include "comm/waiting.hpp"
#include "comm/watchdog.hpp"
#include "engine/step_reports.hpp"
#include "engine/step_tasks.hpp"
#include "kernels/halo/halo_rows.hpp"

namespace nfold::engine {

namespace {

/// Longer than the time limits of waits on the GPU, whose messages name the cause.
constexpr std::chrono::seconds watch_patience{75};

bool needs_capacity(const BlockOutcome& outcome) {
  return outcome.wanted[0] > 0 || outcome.wanted[1] > 0;
}

}  // namespace

template <class Precision>
bool BlockPipeline<Precision>::can_capture(const StepParts<Precision>& parts) {
  // A bias summed over residues needs the host in each step, an external field the step number.
  const bool needs_host = parts.biases.any() || parts.fields.any();
  if (!parts.settings.record_steps || needs_host) return false;
  return parts.communicator.size() == 1 ? parts.state.owned > 0 : parts.ghosts.can_be_captured();
}

// --- Advancing.

template <class Precision>
void BlockPipeline<Precision>::advance_to(std::int64_t target) {
  const auto& communicator = parts_.communicator;
  std::optional<comm::Watchdog> watchdog;
  if (communicator.size() > 1) {
    watchdog.emplace(watch_patience, [] {
      comm::end_stalled_process(static_cast<double>(watch_patience.count()),
                                "no recorded block of steps came to its end");
    });
  }
  parts_.ensure_forces();
  device::fence();
  restart();
  auto& ghosts = parts_.ghosts;
  ghosts.forget_preparation();
  BlockProgress progress(parts_.step);
  while (parts_.step < target) {
    start_blocks(progress, target);
    if (progress.under_way.empty()) {
      renew_plan();
      progress.mark_plan_adopted();
      continue;
    }
    if (ghosts.has_kept_positions() && progress.under_way.size() == 1 && progress.next < target) {
      parts_.prepare_plan_concurrently();
      if (ghosts.can_adopt_in_stream()) {
        // Behind the last block of the old plan in stream order, so that the GPU does not pause.
        parts_.adopt_plan_in_stream(&graphs_.state()->lost);
        ghosts.forget_preparation();
        progress.mark_plan_adopted();
        continue;
      }
    }
    check_oldest(progress);
    if (watchdog) watchdog->record_heartbeat();
  }
  finish();
}

/// Completes the last step: whole-step velocities, ghosts and coordinate columns.
template <class Precision>
void BlockPipeline<Precision>::finish() {
  parts_.integrate(Kicks::last, parts_.this_step());
  parts_.round_coordinates();
  if (parts_.ghosts.is_needed()) parts_.exchange_ghosts();
  device::fence();
  parts_.mark_current();
}

// --- Launching and capturing blocks.

/// Launches blocks until two are under way, while the halo plan is valid and no other plan is being
/// prepared.
template <class Precision>
void BlockPipeline<Precision>::start_blocks(BlockProgress& progress, std::int64_t target) {
  auto& ghosts = parts_.ghosts;
  while (progress.next < target && progress.under_way.size() < 2 && progress.plan_is_valid &&
         !ghosts.has_kept_positions() && !ghosts.has_prepared_plan()) {
    // The block launched now is the plan's last; the next plan is prepared while it runs.
    if (std::exchange(progress.plan_is_due, false) && !progress.under_way.empty()) {
      ghosts.keep_positions(parts_.state.position.read(), parts_.state.owned);
    }
    const std::int64_t wanted = parts_.lists.captured_block_steps();
    const std::int64_t steps = progress.one_by_one ? 1 : std::min(target - progress.next, wanted);
    StartedBlock block{progress.next,
                       steps,
                       progress.begins,
                       progress.saved,
                       ghosts.ranges(parts_.reach()),
                       ghosts.planned(),
                       ghosts.plans(),
                       parts_.lists.skin_nm(),
                       is_to_be_timed(steps)};
    start_block(block);
    progress.started(block);
  }
}

template <class Precision>
void BlockPipeline<Precision>::start_block(StartedBlock& block) {
  discard_outdated_graphs();
  const auto& ghosts = parts_.ghosts;
  const int set = ghosts.receives_from_peers() ? static_cast<int>(exchanges_ % 2) : 0;
  const int version =
      parts_.forces.version() + (ghosts.peers() != nullptr ? ghosts.peers()->version() : 0);
  block.is_new = graphs_.start({static_cast<int>(block.steps), block.begins, block.saved, set,
                                block.skin_nm, version, block.is_timed},
                               [&] { capture(block, set); });
  exchanges_ += block.steps;
}

/// Discards graphs that refer to old local rows, after the rows were laid out again.
template <class Precision>
void BlockPipeline<Precision>::discard_outdated_graphs() {
  if (std::exchange(captured_layout_, parts_.layout_version) != parts_.layout_version) {
    graphs_.clear();
  }
}

/// Captures the steps of a block, and the outcome at its end. set: index of the record set filled
/// by the exchange before the block; sets alternate if peers write into them.
template <class Precision>
void BlockPipeline<Precision>::capture(const StartedBlock& block, int set) {
  for (std::int64_t step = 0; step < block.steps; ++step) {
    if (parts_.ghosts.receives_from_peers()) set = 1 - set;
    capture_step(block, step, set);
  }
  write_outcome(block);
}

/// Captures one step as a list of tasks. The first step of a block also builds the lists.
template <class Precision>
void BlockPipeline<Precision>::capture_step(const StartedBlock& block, std::int64_t step, int set) {
  auto& ghosts = parts_.ghosts;
  const bool is_first = step == 0;
  const bool has_peers = ghosts.receives_from_peers();
  const bool has_terms = parts_.tables.has_terms();
  kernels::HaloFlags flags{};
  if (has_peers) {
    flags = ghosts.peers()->flags(&graphs_.state()->exchanges, static_cast<std::uint64_t>(step) + 1,
                                  &graphs_.state()->lost);
  }
  // The list build reads the columns of all ghosts, terms those of their partners. If neither does,
  // the force kernel itself waits for the peers' rows.
  const bool reads_columns = is_first || has_terms;
  const int last_read = is_first ? parts_.forces.row_count() : ghosts.planner().fixed_rows();
  const bool forces_wait = has_peers && !reads_columns;
  launch_in_order(
      StepTask{"integrate", true, [&] { integrate(block, step, set); }},
      StepTask{"stamp integrated", block.is_timed && step == 1, [&] { stamp(has_integrated); }},
      StepTask{"fetch ghosts", ghosts.has_nccl_ghosts(), [&] { parts_.fetch_ghosts(set); }},
      StepTask{"take pushed ghosts", has_peers && reads_columns,
               [&] { take_pushed_ghosts(flags, set, last_read); }},
      StepTask{"planned move", is_first && ghosts.is_needed(), [&] { store_planned_move(); }},
      StepTask{"stamp ghosts", block.is_timed && is_first, [&] { stamp(ghosts_are_there); }},
      StepTask{"lists", is_first, [&] { build_lists(); }},
      StepTask{"stamp lists", block.is_timed && is_first, [&] { stamp(lists_are_made); }},
      StepTask{"forces", true, [&] {
                 parts_.forces.compute_captured(parts_.tables, parts_.state.coordinate.read(),
                                                parts_.marks.at(StepMarks::exploded), !is_first,
                                                set, forces_wait ? &flags : nullptr);
               }});
}

template <class Precision>
void BlockPipeline<Precision>::integrate(const StartedBlock& block, std::int64_t step, int set) {
  BlockState* const state = graphs_.state();
  const bool is_first = step == 0;
  IntegrationLaunch launch{{&state->step, static_cast<std::uint64_t>(step)}};
  launch.record_set = set;
  launch.pushes = parts_.ghosts.receives_from_peers();
  if (is_first) {
    launch.moved_flag = StepMarks::unread;
    launch.saved_copy = block.saved;
  }
  // The list build and the terms read the columns.
  launch.writes_columns = is_first || parts_.ghosts.has_nccl_ghosts() || parts_.tables.has_terms();
  if (step == block.steps - 1 && !is_first) launch.largest_move = &state->largest_move_squared;
  parts_.integrate(is_first && block.begins ? Kicks::first : Kicks::both, launch);
}

template <class Precision>
void BlockPipeline<Precision>::take_pushed_ghosts(const kernels::HaloFlags& flags, int set,
                                                  int last) {
  constexpr int threads = 256;
  auto& forces = parts_.forces;
  auto& state = parts_.state;
  const int ghosts = std::max(0, last - state.owned);
  // At least one thread block, which sets flags.
  device::start_kernel("take ghosts", kernels::copy_ghosts<Precision>,
                       std::max(1, (ghosts + threads - 1) / threads), threads, flags,
                       static_cast<const kernels::PackedRow<Precision>*>(forces.records(set).row) +
                           forces.ghost_shift(),
                       state.owned, last, forces.rows_present(), state.coordinate.view());
}

/// Stores the largest residue move since the halo was planned.
template <class Precision>
void BlockPipeline<Precision>::store_planned_move() {
  auto& state = parts_.state;
  device::launch("planned move", state.owned,
                 KeepPlannedMove{parts_.ghosts.planner().find_largest_move(state.position.read()),
                                 graphs_.state()});
}

template <class Precision>
void BlockPipeline<Precision>::build_lists() {
  parts_.forces.enqueue_lists(parts_.local_rows(), parts_.tables, parts_.lists.skin_nm(),
                              parts_.ghosts.copied_rows());
}

template <class Precision>
void BlockPipeline<Precision>::write_outcome(const StartedBlock& block) {
  auto& marks = parts_.marks;
  device::launch("give verdict", 1,
                 WriteBlockOutcome{marks.at(StepMarks::moved), marks.at(StepMarks::exploded),
                                   parts_.forces.wanted(), graphs_.state(), graphs_.outcomes(),
                                   static_cast<std::uint64_t>(block.steps), block.is_timed});
}

/// Returns true for all of the first blocks, then for one in eight, if there are several ranks; a
/// timed block has three more tiny kernels. Same on all ranks, because they launch the same blocks.
template <class Precision>
bool BlockPipeline<Precision>::is_to_be_timed(std::int64_t steps) {
  constexpr std::int64_t all_of = 64, one_in = 8;
  if (parts_.communicator.size() == 1 || steps < 2) return false;
  const std::int64_t before = long_blocks_++;
  return before < all_of || before % one_in == 0;
}

template <class Precision>
void BlockPipeline<Precision>::stamp(StampIndex place) {
  device::launch("stamp", 1, Stamp{graphs_.state(), place});
}

template <class Precision>
void BlockPipeline<Precision>::restart() {
  parts_.marks.clear();
  parts_.forces.clear_wanted();
  if (auto* const peers = parts_.ghosts.peers()) peers->restart();
  graphs_.restart(parts_.step);
  exchanges_ = 0;
}

// --- Checking outcomes.

template <class Precision>
void BlockPipeline<Precision>::check_oldest(BlockProgress& progress) {
  const BlockOutcome outcome = reduce_outcome(wait_for_outcome(progress.under_way.front()));
  const StartedBlock block = progress.take_oldest();
  const double move_nm = std::sqrt(static_cast<double>(outcome.planned_move_squared));
  const bool ghosts_were_there =
      !parts_.ghosts.is_needed() || block.planned.covers(block.ranges, move_nm);
  ++parts_.rebuilds;
  if (outcome.moved == 0 && outcome.exploded == 0 && !needs_capacity(outcome) &&
      ghosts_were_there) {
    accept(block, outcome, progress);
  } else {
    redo(block, outcome, ghosts_were_there, progress);
  }
}

template <class Precision>
void BlockPipeline<Precision>::accept(const StartedBlock& block, const BlockOutcome& outcome,
                                      BlockProgress& progress) {
  parts_.step = block.first + block.steps;
  comm::set_wait_step(parts_.step);
  learn(outcome, block);
  if (block.is_timed) {
    parts_.busy_clock.add_busy(block.steps, static_cast<double>(outcome.busy_seconds));
  }
  const auto& ghosts = parts_.ghosts;
  if (!ghosts.is_needed() || block.plan != ghosts.plans()) return;
  // One block is under way; the plan must be valid for it and the next. If it is not valid for the
  // block after these, the next one is the plan's last.
  auto& pace = progress.plan_pace;
  pace.learn(std::sqrt(static_cast<double>(outcome.planned_move_squared)));
  const auto ranges = ghosts.ranges(parts_.reach());
  progress.plan_is_valid = ghosts.plan_covers(ranges, pace.move_after(3));
  progress.plan_is_due = !ghosts.plan_covers(ranges, pace.move_after(4));
}

/// Discards the block and any launched after it, and prepares for repeating its steps.
template <class Precision>
void BlockPipeline<Precision>::redo(const StartedBlock& block, const BlockOutcome& outcome,
                                    bool ghosts_were_there, BlockProgress& progress) {
  ++parts_.replayed_blocks;
  parts_.ghosts.forget_preparation();
  if (!ghosts_were_there) {
    parts_.ghosts.forget_plan();
  } else if (needs_capacity(outcome)) {
    device::fence();
    const std::vector<int> wanted{outcome.wanted[0], outcome.wanted[1]};
    if (parts_.lists.can_shorten_skin(block.skin_nm)) {
      parts_.shorten_skin(parts_.forces.fitting_skin_nm(wanted, block.skin_nm));
    } else {
      parts_.forces.grow(wanted);
      graphs_.clear();
    }
  } else if (outcome.moved != 0) {
    learn(outcome, block);
  }
  restore(block);
  if (ghosts_were_there && !needs_capacity(outcome) && outcome.moved == 0) {
    if (block.steps == 1) report_explosion(parts_);
    progress.one_by_one = true;
  }
  progress.mark_restored(parts_.step);
}

template <class Precision>
void BlockPipeline<Precision>::learn(const BlockOutcome& outcome, const StartedBlock& block) {
  parts_.lists.learn({outcome.moved != 0, outcome.step, block.steps,
                      std::sqrt(static_cast<double>(outcome.largest_move_squared)), block.skin_nm,
                      outcome.is_new != 0});
}

/// Waits for this rank's next outcome. If the GPU or a peer hangs, cleanup and the other ranks
/// would hang too, so this process reports the cause and aborts the job.
template <class Precision>
BlockOutcome BlockPipeline<Precision>::wait_for_outcome(const StartedBlock& block) {
  std::string hangs;
  BlockOutcome outcome{};
  const double began = core::seconds_now();
  const comm::WaitingForDevice waiting;
  try {
    outcome = graphs_.wait();
    outcome.is_new = block.is_new ? 1 : 0;
    if (outcome.lost != 0) {
      hangs = fmt::format("no border residues came within {} s from another rank's GPU",
                          kernels::halo_timeout_s);
    }
  } catch (const DeviceHangs& error) {
    hangs = error.what();
  }
  if (hangs.empty()) return outcome;
  comm::end_stalled_process(core::seconds_now() - began, hangs);
  parts_.communicator.abort(3);
}

/// Collective. Returns the worst outcome and the longest time of any rank.
template <class Precision>
BlockOutcome BlockPipeline<Precision>::reduce_outcome(BlockOutcome outcome) {
  struct Report {
    BlockOutcome outcome;
    double seconds;
  };
  const auto& communicator = parts_.communicator;
  const Report mine{outcome, parts_.lists.lap_seconds()};
  if (communicator.size() == 1) return outcome;
  double longest = mine.seconds;
  for (const auto& [other, seconds] : communicator.all_gather(std::span<const Report>(&mine, 1))) {
    outcome.moved |= other.moved;
    outcome.exploded |= other.exploded;
    outcome.lost |= other.lost;
    outcome.is_new |= other.is_new;
    outcome.wanted[0] = std::max(outcome.wanted[0], other.wanted[0]);
    outcome.wanted[1] = std::max(outcome.wanted[1], other.wanted[1]);
    outcome.largest_move_squared =
        std::max(outcome.largest_move_squared, other.largest_move_squared);
    outcome.planned_move_squared =
        std::max(outcome.planned_move_squared, other.planned_move_squared);
    longest = std::max(longest, seconds);
  }
  parts_.lists.set_lap_seconds(longest);
  return outcome;
}

/// Restores the state at the start of a block, with whole-step velocities and forces.
template <class Precision>
void BlockPipeline<Precision>::restore(const StartedBlock& block) {
  device::fence();
  parts_.restore(block.saved, block.first);
  parts_.ensure_forces();
  if (!block.begins) parts_.integrate(Kicks::last, parts_.this_step());
  device::fence();
  restart();
}

// --- Collective work between blocks.

/// Collective. Adopts or makes a halo plan; forces and velocities stay unchanged.
template <class Precision>
void BlockPipeline<Precision>::renew_plan() {
  auto& ghosts = parts_.ghosts;
  if (ghosts.has_prepared_plan()) {
    parts_.adopt_plan(ghosts.kept_positions(), ghosts.prepared_ranges());
  } else {
    parts_.make_plan();
  }
  ghosts.forget_preparation();
  if (ghosts.peers() != nullptr && ghosts.peers()->needs_restart()) restart();
}

template class BlockPipeline<kernels::Mixed>;
template class BlockPipeline<kernels::Full>;

}  // namespace nfold::engine
