// When a session's next checkpoint is due by the clock, and how much time its last one needs.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "job/run_log.hpp"
#include "job/verdict.hpp"
#include "telemetry/step_clock.hpp"

namespace nfold::setup {

/// By rank 0's clock; other ranks' do not count.
class CheckpointPace {
 public:
  /// every_minutes and time_limit_seconds: <= 0: never, none. The clock must outlive this.
  CheckpointPace(const telemetry::StepClock& clock, double every_minutes,
                 double time_limit_seconds);

  /// Before a block of so many steps.
  [[nodiscard]] job::ClocksSay say(std::int64_t next_steps, job::RunLog& log) const;
  /// Around a checkpoint's writing, in which no other is due. The next one is due an interval after
  /// the beginning, but no sooner than half an interval after the end.
  void begin();
  void end() { end(clock_.elapsed_seconds() - began_at_); }
  /// work_seconds: what it would have taken, about, if steps had waited for it.
  void end(double work_seconds);
  /// What the last writing took [s].
  [[nodiscard]] double last_seconds() const { return last_seconds_; }
  [[nodiscard]] double longest_seconds() const { return longest_seconds_; }
  /// Whether one was written and none has taken long: nobody need be told that another begins.
  [[nodiscard]] bool is_swift() const {
    constexpr double long_seconds = 0.5;
    return last_at_ > 0 && longest_seconds_ < long_seconds;
  }

 private:
  /// Room for the last checkpoint: three times the longest so far, for disks have slow days.
  [[nodiscard]] double reserve_seconds() const {
    return 3 * longest_seconds_ + 0.02 * time_limit_seconds_;
  }

  const telemetry::StepClock& clock_;
  double every_seconds_, time_limit_seconds_;
  bool is_writing_ = false;
  double began_at_ = 0, last_at_ = 0, last_seconds_ = 0, longest_seconds_ = 0;
};

}  // namespace nfold::setup
