// Due times of a session's checkpoints, and the time reserved for the last one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "core/telemetry/step_clock.hpp"
#include "session/common/block_decision.hpp"
#include "session/job/run_log.hpp"

namespace nfold::common {

/// Pace of checkpoints by the clock of rank 0; clocks of other ranks are ignored.
class CheckpointTimer {
 public:
  /// every_minutes <= 0: never. time_limit_seconds <= 0: no limit. The clock must outlive this
  /// object.
  CheckpointTimer(const telemetry::StepClock& clock, double every_minutes,
                  double time_limit_seconds);

  /// Returns the state of the clocks before a block of next_steps steps.
  [[nodiscard]] ClockState read_clocks(std::int64_t next_steps, job::RunLog& log) const;
  /// Marks the start of a checkpoint's write; no other is due until end(). The next one is due an
  /// interval after the start, but no sooner than half an interval after the end.
  void begin();
  /// Marks the end of a write. blocking_seconds: its estimated duration if steps had waited for it.
  void end(double blocking_seconds);
  /// Duration of the last write [s].
  [[nodiscard]] double last_seconds() const { return last_duration_seconds_; }
  [[nodiscard]] double longest_seconds() const { return longest_duration_seconds_; }
  /// True if a checkpoint was written and none took long, so that the next needs no announcement.
  [[nodiscard]] bool is_fast() const {
    constexpr double long_seconds = 0.5;
    return interval_began_at_ > 0 && longest_duration_seconds_ < long_seconds;
  }

 private:
  /// Time reserved for the last checkpoint [s]: three times the longest write so far, since the
  /// speed of disks varies, and 2 % of the time limit.
  [[nodiscard]] double reserve_seconds() const {
    return 3 * longest_duration_seconds_ + 0.02 * time_limit_seconds_;
  }

  const telemetry::StepClock& clock_;
  double every_seconds_, time_limit_seconds_;
  bool is_writing_ = false;
  double began_at_ = 0, interval_began_at_ = 0, last_duration_seconds_ = 0,
         longest_duration_seconds_ = 0;
};

}  // namespace nfold::common
