// When a run of a batch asks for more ranks, and what it then says of its rest.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>

#include "job/more_ranks.hpp"
#include "job/run_log.hpp"
#include "setup/checkpoint_pace.hpp"
#include "telemetry/step_clock.hpp"

namespace nfold::setup {

/// For rank 0 of a run, by its clock; what comes of it enters no bit.
class MoreRanks {
 public:
  /// The clock outlives this; it began with the run.
  MoreRanks(job::AsksForMoreRanks asks, const telemetry::StepClock& clock);

  /// The first step is to come next: until here the run was made ready.
  void begin(std::int64_t step);
  /// Whether the run is to stop at this step, for ranks that join. Asks some times a second, once
  /// there are some blocks to go by. share_on: of the present time of a step, on so many ranks.
  [[nodiscard]] bool join(std::int64_t step, std::int64_t last_step, const CheckpointPace& pace,
                          job::RunLog& log, const std::function<double(int ranks)>& share_on);

 private:
  job::AsksForMoreRanks asks_;
  const telemetry::StepClock& clock_;
  std::int64_t first_step_ = 0;
  double start_seconds_ = 0, asked_at_ = 0;
};

}  // namespace nfold::setup
