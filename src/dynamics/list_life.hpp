// How long neighbour lists last, and with which skin: learned while a run goes, never in the bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "comm/communicator.hpp"
#include "dynamics/move_pace.hpp"
#include "dynamics/skin_tuner.hpp"

namespace nfold::dynamics {

/// The one place that learns. Lists are made by the host, between blocks of steps or, alone on a
/// CPU, in the middle of one; or by the device, at the start of each recorded block.
class ListLife {
 public:
  /// given_skin_nm > 0 stays; else first_skin_nm is where the measuring begins, unless
  /// rebuild_every > 0 says when lists are made. made_within_blocks: as soon as a residue moved too
  /// far, whatever is foreseen here.
  ListLife(double given_skin_nm, double first_skin_nm, int rebuild_every, bool made_within_blocks);

  [[nodiscard]] double skin_nm() const { return skin_nm_; }
  /// False while skins are tried out.
  [[nodiscard]] bool skin_is_settled() const { return !tuner_ || tuner_->is_settled(); }
  /// No longer skin is tried than memory has room for.
  [[nodiscard]] bool wants_bound() const { return tuner_ && !is_bounded_; }
  void bound(double longest_nm);
  void forget_bound() { is_bounded_ = false; }
  /// Whether this skin may become shorter where its lists find no room; else they must grow.
  [[nodiscard]] bool can_give_way(double skin_nm) const {
    return tuner_ && skin_nm > first_skin_nm_;
  }
  /// Lists of a skin that can give way found no room at `step`: one of at most fits_nm is taken
  /// from now on, or the first where that is longer.
  void give_way(double fits_nm, std::int64_t step);

  // Only what is spent on steps counts as their cost.
  void start_clock() { lap_start_ = Clock::now(); }
  void stop_clock() { add_lap(); }

  // Lists that the host makes.

  /// Collective, before lists are made at `step`: the skin that they should have.
  void choose_skin(const comm::Communicator& communicator, std::int64_t step);
  void were_made() { age_steps_ = 0; }
  [[nodiscard]] bool are_fresh() const { return age_steps_ == 0; }
  [[nodiscard]] bool are_due() const;
  /// Steps of the next block, of those that remain.
  [[nodiscard]] std::int64_t next_block(std::int64_t remaining) const;
  /// They served a block. moved_fraction: the largest move of any residue since they were made,
  /// over what the skin allows.
  void served(std::int64_t steps, double moved_fraction);
  /// A residue moved too far within a block.
  void did_not_serve(std::int64_t steps);

  // Lists that the device makes at the start of a recorded block.

  /// What a recorded block tells of its lists.
  struct Recorded {
    bool moved_too_far;
    std::int64_t last_step, steps;  ///< the step after the block, the block's length
    double largest_move_nm;         ///< since they were made; where they served
    double skin_nm;                 ///< that they were made with
    bool is_new;                    ///< it was recorded for this time, which held the GPU up
  };
  /// Steps for which such lists should serve.
  [[nodiscard]] std::int64_t recorded_block();
  void learn(const Recorded& lists);
  /// Seconds since the skin was last judged, of this rank; and those of the slowest.
  [[nodiscard]] double lap_seconds();
  void agree_on_lap(double seconds) { lap_seconds_ = seconds; }

 private:
  using Clock = std::chrono::steady_clock;
  void add_lap();
  void begin_lap(std::int64_t step);

  double skin_nm_, first_skin_nm_;
  std::int64_t rebuild_every_;
  std::int64_t longest_forced_block_;  // shorter where lists did not serve so long
  bool made_within_blocks_;
  std::int64_t age_steps_ = 0, lifetime_steps_ = 10;
  MovePace pace_;                   // of recorded blocks
  std::optional<SkinTuner> tuner_;  // where the skin is not given
  bool is_bounded_ = false;
  Clock::time_point lap_start_;
  int blocks_of_skin_ = 0;        // recorded ones, since it changed
  int new_blocks_ = 0;            // recorded for the first time, since the skin was last judged
  std::int64_t block_steps_ = 0;  // of the block that is recorded now
  double step_seconds_ = 0;       // in the last lap; 0: not known
  double lap_seconds_ = 0;        // within steps since the skin was last judged
  std::int64_t lap_step_ = 0;     // when that was
};

}  // namespace nfold::dynamics
