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

#include "engine/cuda/block_graphs.hpp"
#include "engine/halo/cuda/plan_pace.hpp"
#include "engine/halo/halo_planner.hpp"
#include "engine/step_parts.hpp"
#include "kernels/cuda/peer_halo.hpp"

namespace nfold::engine {

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
struct BlockProgress {
  std::int64_t next;          ///< first step of the next block to launch
  bool begins = true;         ///< the next block starts from whole-step velocities
  int saved = 0;              ///< index of the state copy that it writes
  bool one_by_one = false;    ///< searching for the step that explodes
  bool plan_is_valid = true;  ///< the halo plan is valid for one more block than is under way
  bool plan_is_due = false;   ///< valid for that block only: the next plan is prepared meanwhile
  halo::PlanPace plan_pace;   ///< pace since the current halo plan
  std::deque<StartedBlock> under_way{};  ///< at most two

  explicit BlockProgress(std::int64_t step) : next(step) {}

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
  void mark_plan_adopted() {
    plan_is_valid = true;
    plan_is_due = false;
    plan_pace = {};
  }
  /// Records that the state of `step` was restored; blocks under way are discarded.
  void mark_restored(std::int64_t step) {
    next = step;
    begins = true;
    under_way.clear();
    mark_plan_adopted();
  }
};

template <class Precision>
class BlockPipeline {
 public:
  /// True if these steps can be captured with the current settings and transport. Same on all
  /// ranks.
  [[nodiscard]] static bool can_capture(const StepParts<Precision>& parts);

  /// The parts must outlive the pipeline.
  explicit BlockPipeline(StepParts<Precision>& parts) : parts_(parts) {}

  /// Collective. Advances to step `target`.
  void advance_to(std::int64_t target);

  // Parts of a block; part_times launches them as well.

  [[nodiscard]] BlockGraphs& graphs() { return graphs_; }
  /// Collective. Call before blocks from a state that the host knows.
  void restart();
  void build_lists();
  /// Waits for ghosts written by peers and copies the coordinates of the rows below `last` into the
  /// columns.
  void take_pushed_ghosts(const kernels::HaloFlags& flags, int set, int last);

 private:
  void start_blocks(BlockProgress& progress, std::int64_t target);
  void start_block(StartedBlock& block);
  void discard_outdated_graphs();
  void capture(const StartedBlock& block, int set);
  void capture_step(const StartedBlock& block, std::int64_t step, int set);
  void integrate(const StartedBlock& block, std::int64_t step, int set);
  void store_planned_move();
  void write_outcome(const StartedBlock& block);
  [[nodiscard]] bool is_to_be_timed(std::int64_t steps);
  void stamp(StampIndex place);

  void check_oldest(BlockProgress& progress);
  void accept(const StartedBlock& block, const BlockOutcome& outcome, BlockProgress& progress);
  void redo(const StartedBlock& block, const BlockOutcome& outcome, bool ghosts_were_there,
            BlockProgress& progress);
  void learn(const BlockOutcome& outcome, const StartedBlock& block);
  [[nodiscard]] BlockOutcome wait_for_outcome(const StartedBlock& block);
  [[nodiscard]] BlockOutcome reduce_outcome(BlockOutcome outcome);
  void restore(const StartedBlock& block);
  void renew_plan();
  void finish();

  StepParts<Precision>& parts_;
  BlockGraphs graphs_;
  std::int64_t exchanges_ = 0;    // halo exchanges in blocks since restart()
  std::int64_t long_blocks_ = 0;  // launched blocks that were long enough to be timed
  int captured_layout_ = 0;       // StepParts::layout_version of the captured graphs
};

}  // namespace nfold::engine
