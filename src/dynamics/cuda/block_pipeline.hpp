// Steps as captured CUDA graphs: blocks are launched ahead and checked once their outcome arrives.
// SPDX-License-Identifier: BSD-3-Clause
//
// A block saves the state, drifts, builds lists for the new coordinates, and runs for the number of
// steps that the lists should stay valid. Between blocks the velocities lack the second half of the
// last kick. If the outcome of a block is bad, the block and the one launched after it are
// discarded, and their steps are repeated with more frequent list builds or larger lists. Noise is
// addressed by step, so repetition changes no bit.
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

/// Block that was launched and not checked yet.
struct StartedBlock {
  std::int64_t first, steps;
  bool begins;                       ///< starts from whole-step velocities
  int saved;                         ///< index of the state copy written at its start
  halo::HaloRanges ranges, planned;  ///< ranges it needs; ranges its halo plan was made for
  std::int64_t plan;                 ///< number of that halo plan
  double skin_nm;
  bool is_timed;        ///< its outcome has this rank's busy time
  bool is_new = false;  ///< its graph was captured for this launch
};

/// Progress of the blocks of one advance call, between two outcomes.
struct BlockSituation {
  std::int64_t next;         ///< first step of the next block to launch
  bool begins = true;        ///< the next block starts from whole-step velocities
  int saved = 0;             ///< index of the state copy that it writes
  bool one_by_one = false;   ///< searching for the step that explodes
  bool plan_lasts = true;    ///< the halo plan is valid for one more block than is under way
  bool plan_is_due = false;  ///< valid for that block only: the next plan is prepared meanwhile
  halo::PlanPace plan_pace;  ///< pace since the current halo plan
  std::deque<StartedBlock> under_way{};  ///< at most two

  explicit BlockSituation(std::int64_t step) : next(step) {}

  /// Records that a block was launched.
  void started(const StartedBlock& block) {
    under_way.push_back(block);
    next += block.steps;
    begins = false;
    saved = 1 - saved;
  }
  /// Removes and returns the oldest block under way.
  StartedBlock take_oldest() {
    const StartedBlock block = under_way.front();
    under_way.pop_front();
    return block;
  }
  /// Records that a new halo plan is in use.
  void plan_was_adopted() {
    plan_lasts = true;
    plan_is_due = false;
    plan_pace = {};
  }
  /// Records that the state of `step` was restored; blocks under way are discarded.
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
  /// True if the engine's steps can be captured with its current settings and transport.
  [[nodiscard]] static bool can_record(StepEngine<Precision>& engine);

  /// The engine must outlive the pipeline.
  explicit BlockPipeline(StepEngine<Precision>& engine);

  /// Collective. Advances to step `target`.
  void advance_to(std::int64_t target);
  /// Discards graphs that refer to old local rows, after the rows were laid out again.
  void rows_were_placed(bool columns_moved);

  // Parts of a block; part_times launches them as well.

  [[nodiscard]] BlockGraphs& graphs() { return graphs_; }
  /// Collective. Call before blocks from a state that the host knows.
  void restart();
  void make_lists();
  /// Waits for ghosts written by peers and copies the coordinates of the rows below `last` into the
  /// columns.
  void take_pushed_ghosts(const kernels::HaloFlags& flags, int set, int last);

 private:
  void start_blocks(BlockSituation& situation, std::int64_t target);
  void start_block(StartedBlock& block);
  /// set: index of the record set filled by the previous exchange.
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
  std::int64_t exchanges_ = 0;    // halo exchanges in blocks since restart()
  std::int64_t long_blocks_ = 0;  // launched blocks that were long enough to be timed
  const int* recorded_ids_;       // array of row ids that captured kernels read
};

}  // namespace nfold::dynamics
