// Steps as recorded graphs: blocks are started ahead, and judged when their verdict has come.
// SPDX-License-Identifier: BSD-3-Clause
//
// A block saves the state, drifts, makes lists for the new coordinates, and goes on for as many
// steps as they should last. Between blocks the velocities lack the second half of the last kick. A
// block whose verdict is bad is undone, with the one that was started after it, and its steps done
// again with lists that are made more often or have more room; noise is addressed by step, so that
// no bit depends on it.
#pragma once

#include <cstdint>
#include <deque>

#include "dynamics/cuda/block_graphs.hpp"
#include "halo/cuda/plan_pace.hpp"
#include "halo/halo_planner.hpp"
#include "kernels/cuda/peer_halo.hpp"

namespace nfold::dynamics {

template <class Precision>
class StepEngine;

/// A block that is under way.
struct StartedBlock {
  std::int64_t first, steps;
  bool begins;                       ///< from whole-step velocities
  int saved;                         ///< copy of the state at its start
  halo::HaloRanges ranges, planned;  ///< that it needs, and that its plan of ghosts was made for
  std::int64_t plan;                 ///< number of that plan
  double skin_nm;
  bool is_timed;        ///< it tells what this rank was busy with
  bool is_new = false;  ///< it was recorded for this time
};

/// Where the blocks of one call stand, between two verdicts.
struct BlockSituation {
  std::int64_t next;                     ///< first step of the block that starts next
  bool begins = true;                    ///< it starts from whole-step velocities
  int saved = 0;                         ///< and copies the state to there
  bool one_by_one = false;               ///< looking for the step that explodes
  bool plan_lasts = true;                ///< for one block more than are under way
  bool plan_is_due = false;              ///< and for no other: the next plan is made meanwhile
  halo::PlanPace plan_pace;              ///< of the present plan
  std::deque<StartedBlock> under_way{};  ///< at most two

  explicit BlockSituation(std::int64_t step) : next(step) {}

  /// A block was started.
  void started(const StartedBlock& block) {
    under_way.push_back(block);
    next += block.steps;
    begins = false;
    saved = 1 - saved;
  }
  /// The oldest block was judged.
  StartedBlock take_oldest() {
    const StartedBlock block = under_way.front();
    under_way.pop_front();
    return block;
  }
  /// A new plan counts.
  void plan_was_adopted() {
    plan_lasts = true;
    plan_is_due = false;
    plan_pace = {};
  }
  /// The state of `step` is there again; what was under way is void.
  void went_back_to(std::int64_t step) {
    next = step;
    begins = true;
    under_way.clear();
    plan_was_adopted();
  }
};

template <class Precision>
class BlockPipeline {
 public:
  /// Whether an engine's steps can be recorded as they are.
  [[nodiscard]] static bool can_record(StepEngine<Precision>& engine);

  /// The engine outlives it.
  explicit BlockPipeline(StepEngine<Precision>& engine);

  /// Collective.
  void advance_to(std::int64_t target);
  /// Local rows have other places: what was recorded with the old ones is forgotten.
  void rows_were_placed(bool columns_moved);

  // Parts of a block, which timings launch as well.

  [[nodiscard]] BlockGraphs& graphs() { return graphs_; }
  /// Collective, before blocks from a state that the host knows.
  void restart();
  void make_lists();
  /// Waits for what peers have written and puts the coordinates of the rows below `last` into the
  /// columns.
  void take_pushed_ghosts(const kernels::HaloFlags& flags, int set, int last);

 private:
  void start_blocks(BlockSituation& situation, std::int64_t target);
  void start_block(StartedBlock& block);
  /// set: of records, that the exchange before it filled.
  void record(const StartedBlock& block, int set);
  void drift(const StartedBlock& block, std::int64_t step, int set);
  void keep_planned_move();
  void give_verdict(const StartedBlock& block);
  [[nodiscard]] bool is_to_be_timed(std::int64_t steps);
  void stamp(const StartedBlock& block, StampPlace place);

  void judge_oldest(BlockSituation& situation);
  void accept(const StartedBlock& block, const BlockVerdict& verdict, BlockSituation& situation);
  void redo(const StartedBlock& block, const BlockVerdict& verdict, bool ghosts_were_there,
            BlockSituation& situation);
  void learn(const BlockVerdict& verdict, const StartedBlock& block);
  [[nodiscard]] BlockVerdict next_verdict(const StartedBlock& block);
  [[nodiscard]] BlockVerdict agree_on(BlockVerdict verdict);
  void go_back_to(const StartedBlock& block);
  void renew_plan();
  void finish();

  StepEngine<Precision>& engine_;
  BlockGraphs graphs_;
  std::int64_t exchanges_ = 0;    // of ghosts in blocks, since they were restarted
  std::int64_t long_blocks_ = 0;  // started, that could be timed
  const int* recorded_ids_;       // where recorded kernels read the rows' ids
};

}  // namespace nfold::dynamics
