// Steps as recorded graphs: blocks are started ahead, and judged when their verdict has come.
// SPDX-License-Identifier: BSD-3-Clause
//
// A block saves the state, drifts, makes lists for the new coordinates, and goes on for as many
// steps as they should last. Between blocks the velocities lack the second half of the last kick. A
// block whose verdict is bad is undone, with the one that was started after it, and its steps done
// again with lists that are made more often or have more room; noise is addressed by step, so that
// no bit depends on it.
#include <deque>

#include "dynamics/step_engine.hpp"
#include "kernels/halo_rows.hpp"

namespace nfold::dynamics {

namespace {

/// Work item: one row.
struct SaveState {
  kernels::CopyRows<std::int64_t> position;
  kernels::CopyRows<double> velocity;
  KOKKOS_FUNCTION void operator()(int row) const {
    position(row);
    velocity(row);
  }
};

}  // namespace

template <class Precision>
bool StepEngine<Precision>::can_record() const {
  return settings_.record_steps && communicator_.size() == 1 && owned_ > 0;
}

template <class Precision>
void StepEngine<Precision>::record_block(std::int64_t steps, bool begins, int saved) {
  const auto copy = static_cast<std::size_t>(saved);
  BlockState* const state = graphs_->state();
  launch("save state", owned_,
         SaveState{{position_.read(), saved_position_[copy].view()},
                   {velocity_.read(), saved_velocity_[copy].view()}});
  for (std::int64_t i = 0; i < steps; ++i) {
    Drift drift{{&state->step, static_cast<std::uint64_t>(i)}};
    if (i == 0) drift.moved = unread_mark;
    // Lists are made from the columns, and terms read them.
    drift.writes_columns = i == 0 || tables_->has_terms();
    if (i == steps - 1 && i > 0) {
      drift.largest = &state->largest_move_squared;
    }
    if (i == 0 && begins) {
      integrate<false, true>(drift);
    } else {
      integrate<true, true>(drift);
    }
    if (i == 0) forces_.enqueue_lists(local_rows(), *tables_, settings_.skin_nm);
    compute_forces_on_cleared();
  }
  launch("give verdict", 1,
         GiveVerdict{marks_.data() + moved_mark, marks_.data() + exploded_mark, forces_.wanted(),
                     state, graphs_->verdicts(), static_cast<std::uint64_t>(steps)});
}

template <class Precision>
void StepEngine<Precision>::start_recorded_block(std::int64_t steps, bool begins, int saved) {
  graphs_->start({static_cast<int>(steps), begins, saved, settings_.skin_nm, forces_.version()},
                 [&] { record_block(steps, begins, saved); });
}

/// To the state at the start of a block, with whole-step velocities and forces.
template <class Precision>
void StepEngine<Precision>::go_back_to(int saved, std::int64_t step, bool begins) {
  fence();
  restore(saved);
  step_ = step;
  marks_.fill(0);
  ensure_forces();
  if (!begins) integrate<true, false>(eager_drift());
  fence();
  marks_.fill(0);
  graphs_->restart(step_);
}

template <class Precision>
void StepEngine<Precision>::learn_from_verdict(const BlockVerdict& verdict, std::int64_t steps) {
  if (verdict.moved != 0) {
    pace_.was_too_slow();
  } else {
    pace_.learn(steps - 1, std::sqrt(static_cast<double>(verdict.largest_move_squared)));
  }
  if (!skin_tuner_) return;
  const auto now = Clock::now();
  lap_seconds_ += std::chrono::duration<double>(now - lap_start_).count();
  lap_start_ = now;
  const std::int64_t lap_steps = verdict.step - lap_step_;
  // Long enough that the clock and the blocks in flight do not matter.
  if (lap_seconds_ < 0.02 || lap_steps < 10 * steps) return;
  settings_.skin_nm = skin_tuner_->next(lap_steps, lap_seconds_);
  lap_seconds_ = 0;
  lap_step_ = verdict.step;
}

template <class Precision>
void StepEngine<Precision>::advance_by_graphs(std::int64_t target) {
  if (step_ >= target) return;
  struct Started {
    std::int64_t first, steps;
    bool begins;
    int saved;
  };
  if (!graphs_) graphs_ = std::make_unique<BlockGraphs>();
  std::deque<Started> started;
  marks_.fill(0);
  ensure_forces();
  fence();
  graphs_->restart(step_);
  std::int64_t next = step_;
  bool begins = true, one_by_one = false;
  int saved = 0;
  while (step_ < target) {
    while (next < target && started.size() < 2) {
      const std::int64_t wanted =
          settings_.rebuild_every > 0 ? settings_.rebuild_every : pace_.lifetime(settings_.skin_nm);
      const std::int64_t steps = one_by_one ? 1 : std::min(target - next, wanted);
      start_recorded_block(steps, begins, saved);
      started.push_back({next, steps, begins, saved});
      next += steps;
      begins = false;
      saved = 1 - saved;
    }
    const BlockVerdict verdict = graphs_->wait();
    const Started block = started.front();
    started.pop_front();
    const bool too_little_room = verdict.wanted[0] > 0 || verdict.wanted[1] > 0;
    ++statistics_.rebuilds;
    if (verdict.moved == 0 && verdict.exploded == 0 && !too_little_room) {
      step_ = block.first + block.steps;
      learn_from_verdict(verdict, block.steps);
      continue;
    }
    ++statistics_.replayed_blocks;
    started.clear();
    if (too_little_room) {
      fence();
      forces_.grow({verdict.wanted[0], verdict.wanted[1]});
      graphs_->clear();
    } else if (verdict.moved != 0) {
      learn_from_verdict(verdict, block.steps);
    }
    go_back_to(block.saved, block.first, block.begins);
    if (!too_little_room && verdict.moved == 0) {
      if (block.steps == 1) report_explosion();
      one_by_one = true;
    }
    next = step_;
    begins = true;
  }
  integrate<true, false>(eager_drift());
  round_coordinates();
  fence();
  forces_are_current_ = true;
  lists_are_current_ = true;
}

#define NFOLD_INSTANTIATE(Precision)                       \
  template bool StepEngine<Precision>::can_record() const; \
  template void StepEngine<Precision>::advance_by_graphs(std::int64_t);
NFOLD_INSTANTIATE(kernels::Mixed)
NFOLD_INSTANTIATE(kernels::Full)
#undef NFOLD_INSTANTIATE

}  // namespace nfold::dynamics
