// Whether a session goes on: what all ranks agree on between blocks of steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "comm/communicator.hpp"

namespace nfold::job {

/// What rank 0's clocks say; others' do not count.
struct ClocksSay {
  bool time_is_up = false, checkpoint_is_due = false, display_is_due = false;
  bool ranks_join = false;  ///< so that it is to stop and to go on with them
};
struct Verdict {
  std::string stop_reason;  ///< empty: go on
  bool checkpoint_due = false, display_due = false;
  bool all_are_ready = false;
};

/// Collective, by one sum of integers: a signal to any rank stops all. is_ready: whether this rank
/// has done its part of what goes on beside the steps.
[[nodiscard]] Verdict agree_on_verdict(const comm::Communicator& communicator,
                                       const ClocksSay& clocks, const std::string& time_limit,
                                       bool is_ready = false);

/// What the log says of a session that ends before its last step.
[[nodiscard]] std::string told_of_stop(const std::string& stop_reason, std::int64_t step,
                                       std::int64_t last_step);

}  // namespace nfold::job
