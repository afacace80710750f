// Median step time, and the steps that fit into a time limit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "core/clock.hpp"

namespace nfold::telemetry {

/// Returns the seconds of a monotonic clock.
using SecondsClock = std::function<double()>;
/// Returns core::seconds_now() as a SecondsClock.
[[nodiscard]] inline SecondsClock steady_seconds() { return core::seconds_now; }

/// Times blocks of steps. The limit is compared with the median step of the last blocks: one slow
/// block (a rebuild, a busy file system, a suspended node) neither ends a run early nor speeds it
/// up. Rank 0 keeps one and shares its decision; it never affects the trajectory.
class StepClock {
 public:
  /// Starts the time of the limit.
  explicit StepClock(SecondsClock now = core::seconds_now);

  /// Starts a block; the time since the last end_block() does not count.
  void begin_block();
  /// Ends a block of `steps` > 0 steps since begin_block().
  void end_block(std::int64_t steps);

  /// Returns the median step time [s], each block weighted by its steps; 0 before the first block.
  [[nodiscard]] double median_seconds_per_step() const;
  /// Returns the time since construction [s].
  [[nodiscard]] double elapsed_seconds() const;
  /// True if `steps` more steps and then `reserve_seconds` (for the last checkpoint) end within
  /// `limit_seconds`; a limit <= 0 means none.
  [[nodiscard]] bool time_left_for(std::int64_t steps, double limit_seconds,
                                   double reserve_seconds) const;
  /// Returns the most steps that fit by the rule of time_left_for(), 0 or more; `wanted` without a
  /// limit or before the first block.
  [[nodiscard]] std::int64_t steps_that_fit(std::int64_t wanted, double limit_seconds,
                                            double reserve_seconds) const;

 private:
  struct Block {
    double seconds_per_step;
    std::int64_t steps;
  };
  SecondsClock now_;
  double started_;
  double block_started_;
  std::deque<Block> blocks_;  // the last `window` blocks
};

}  // namespace nfold::telemetry
