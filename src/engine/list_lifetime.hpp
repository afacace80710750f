// Lifetime and skin of neighbour lists: learned during a run, without effect on results.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "comm/communicator.hpp"
#include "engine/move_pace.hpp"
#include "engine/skin_tuner.hpp"

namespace nfold::engine {

/// Learns list lifetimes and skins. Lists are built by the host, between blocks of steps or, on a
/// single CPU rank, within a block; or by the device, at the start of each captured block.
class ListLifetime {
 public:
  /// given_skin_nm > 0 is kept; otherwise autotuning starts at first_skin_nm, unless rebuild_every
  /// > 0 fixes the interval. made_within_blocks: lists are rebuilt within a block as soon as a
  /// residue moves too far, independent of the predicted lifetime.
  ListLifetime(double given_skin_nm, double first_skin_nm, int rebuild_every,
               bool made_within_blocks);

  [[nodiscard]] double skin_nm() const { return skin_nm_; }
  /// False during autotuning.
  [[nodiscard]] bool skin_is_settled() const { return !tuner_ || tuner_->is_settled(); }
  /// True if autotuning needs a call of limit_skin(), which limits its skins to the available
  /// memory: at the start, and after forget_skin_limit().
  [[nodiscard]] bool needs_skin_limit() const { return tuner_ && !is_limited_; }
  void limit_skin(double longest_nm);
  void forget_skin_limit() { is_limited_ = false; }
  /// True if the skin may be reduced when its lists overflow; otherwise the lists must grow.
  [[nodiscard]] bool can_shorten_skin(double skin_nm) const {
    return tuner_ && skin_nm > first_skin_nm_;
  }
  /// Reduces the skin after its lists overflowed at `step`: to at most fits_nm, but not below the
  /// first skin.
  void shorten_skin_to(double fits_nm, std::int64_t step);

  // Only time spent in steps counts as the lists' cost.
  void start_clock() { lap_start_ = Clock::now(); }
  void stop_clock() { add_lap(); }

  // Lists built by the host.

  /// Collective, before lists are built at `step`. Chooses their skin.
  void choose_skin(const comm::Communicator& communicator, std::int64_t step);
  void mark_built() { age_steps_ = 0; }
  [[nodiscard]] bool are_fresh() const { return age_steps_ == 0; }
  [[nodiscard]] bool are_due() const;
  /// Returns the number of steps of the next block, at most `remaining`.
  [[nodiscard]] std::int64_t next_block_steps(std::int64_t remaining) const;
  /// Records that the lists stayed valid for a block. moved_fraction: largest residue move since
  /// they were built, divided by the move that the skin allows.
  void record_valid(std::int64_t steps, double moved_fraction);
  /// Records that a residue moved too far within a block.
  void record_invalid(std::int64_t steps);

  // Lists built by the device at the start of a captured block.

  /// Outcome of a captured block concerning its lists.
  struct CapturedLists {
    bool moved_too_far;
    std::int64_t last_step, steps;  ///< last_step: step after the block; steps: its length
    double largest_move_nm;         ///< since the lists were built; valid if !moved_too_far
    double skin_nm;                 ///< skin of these lists
    bool is_new;  ///< the graph was captured for this launch, which delayed the GPU
  };
  /// Returns the number of steps for which such lists should stay valid.
  [[nodiscard]] std::int64_t captured_block_steps();
  void learn(const CapturedLists& lists);
  /// Seconds in steps since the skin was last evaluated: of this rank, and of the slowest rank.
  [[nodiscard]] double lap_seconds();
  void set_lap_seconds(double seconds) { lap_seconds_ = seconds; }

 private:
  using Clock = std::chrono::steady_clock;
  void add_lap();
  void begin_lap(std::int64_t step);

  double skin_nm_, first_skin_nm_;
  std::int64_t rebuild_every_;
  std::int64_t longest_forced_block_;  // shorter if lists became invalid sooner
  bool made_within_blocks_;
  std::int64_t age_steps_ = 0, lifetime_steps_ = 10;
  MovePace pace_;                   // pace in captured blocks
  std::optional<SkinTuner> tuner_;  // empty if the skin is given
  bool is_limited_ = false;
  Clock::time_point lap_start_;
  int blocks_of_skin_ = 0;        // captured blocks since the skin changed
  int new_blocks_ = 0;            // graphs captured since the skin was last evaluated
  std::int64_t block_steps_ = 0;  // length of the blocks captured now
  double step_seconds_ = 0;       // in the last lap; 0: not known
  double lap_seconds_ = 0;        // in steps since the skin was last evaluated
  std::int64_t lap_step_ = 0;     // step of that evaluation
};

}  // namespace nfold::engine
