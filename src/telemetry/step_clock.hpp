// How long a step takes, by the median, and whether a time limit leaves room for more steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

namespace nfold::telemetry {

/// Seconds of a clock that never goes back.
using SecondsClock = std::function<double()>;
/// std::chrono::steady_clock.
[[nodiscard]] SecondsClock steady_seconds();

/// Times blocks of steps. The limit goes by the median step of the last blocks: one slow block (a
/// rebuild, a busy file system, a suspended node) neither ends a run early nor speeds it up.
/// Rank 0 keeps one and shares its verdict; it never steers the trajectory.
class StepClock {
 public:
  /// The limit counts from here.
  explicit StepClock(SecondsClock now = steady_seconds());

  /// Steps begin now; what passed since the last end_block() was not spent on steps.
  void begin_block();
  /// `steps` > 0 were done since begin_block().
  void end_block(std::int64_t steps);

  /// Median of a step [s], each block weighing as many steps as it had; 0 before the first block.
  [[nodiscard]] double median_seconds_per_step() const;
  /// Since construction [s].
  [[nodiscard]] double elapsed_seconds() const;
  /// Whether `steps` more, and then `reserve_seconds` (for the last checkpoint), end within
  /// `limit_seconds`; a limit <= 0 means none.
  [[nodiscard]] bool time_left_for(std::int64_t steps, double limit_seconds,
                                   double reserve_seconds) const;
  /// The most steps that fit by the same rule, 0 or more; all of `wanted` without a limit or
  /// before the first block.
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
