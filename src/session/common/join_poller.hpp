// Requests of a batch's run for more ranks, with its remaining time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "core/telemetry/step_clock.hpp"
#include "session/common/checkpoint_timer.hpp"
#include "session/job/join_query.hpp"
#include "session/job/run_log.hpp"

namespace nfold::common {

/// Requests for more ranks, for rank 0 of a run. Timed by its clock; changes no bit of the results.
class JoinPoller {
 public:
  /// The clock must have started with the run and must outlive this object.
  JoinPoller(job::JoinQuery query_join, const telemetry::StepClock& clock);

  /// Marks the end of the preparation, before the first step.
  void begin(std::int64_t step);
  /// Returns true if the run is to stop at this step for joining ranks. Queries the batch a few
  /// times a second, from the second block on. step_time_ratio: step time on a number of ranks over
  /// the present one.
  [[nodiscard]] bool join(std::int64_t step, std::int64_t last_step, const CheckpointTimer& pace,
                          job::RunLog& log,
                          const std::function<double(int ranks)>& step_time_ratio);

 private:
  job::JoinQuery query_join_;
  const telemetry::StepClock& clock_;
  std::int64_t first_step_ = 0;
  double start_seconds_ = 0, asked_at_ = 0;
};

}  // namespace nfold::common
