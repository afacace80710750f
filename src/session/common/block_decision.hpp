// Collective decision between blocks of steps whether a session continues.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "comm/communicator.hpp"

namespace nfold::common {

/// Clocks of rank 0; those of other ranks are ignored.
struct ClockState {
  bool time_is_up = false, checkpoint_is_due = false, display_is_due = false;
  bool ranks_join = false;  ///< true: stop, so that ranks can join
};
struct BlockDecision {
  std::string stop_reason;  ///< empty: continue
  bool checkpoint_due = false, display_due = false;
  bool all_are_ready = false;
};

/// Collective, by one sum of integers: a signal to any rank stops all. is_ready: this rank has done
/// its part of the work beside the steps.
[[nodiscard]] BlockDecision agree_on_decision(const comm::Communicator& communicator,
                                              const ClockState& clocks,
                                              const std::string& time_limit, bool is_ready = false);

/// Returns the log message of a session that ends before its last step.
[[nodiscard]] std::string stop_message(const std::string& stop_reason, std::int64_t step,
                                       std::int64_t last_step);

}  // namespace nfold::common
