// Due times of checkpoints, between blocks of steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/checkpoint_timer.hpp"

#include <algorithm>

namespace nfold::common {

CheckpointTimer::CheckpointTimer(const telemetry::StepClock& clock, double every_minutes,
                                 double time_limit_seconds)
    : clock_(clock), every_seconds_(every_minutes * 60), time_limit_seconds_(time_limit_seconds) {}

ClockState CheckpointTimer::read_clocks(std::int64_t next_steps, job::RunLog& log) const {
  ClockState clocks;
  clocks.time_is_up = !clock_.time_left_for(next_steps, time_limit_seconds_, reserve_seconds());
  clocks.checkpoint_is_due = every_seconds_ > 0 && !is_writing_ &&
                             clock_.elapsed_seconds() - interval_began_at_ >= every_seconds_;
  auto* const display = log.display();
  clocks.display_is_due = display != nullptr && display->due();
  return clocks;
}

void CheckpointTimer::begin() {
  is_writing_ = true;
  began_at_ = clock_.elapsed_seconds();
}

void CheckpointTimer::end(double blocking_seconds) {
  const double now = clock_.elapsed_seconds();
  is_writing_ = false;
  interval_began_at_ = std::max(began_at_, now - every_seconds_ / 2);
  last_duration_seconds_ = now - began_at_;
  longest_duration_seconds_ =
      std::max(longest_duration_seconds_, std::min(blocking_seconds, last_duration_seconds_));
}

}  // namespace nfold::common
