// Collective decision between blocks of steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/block_decision.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/signals.hpp"
#include "session/job/join_query.hpp"

namespace nfold::common {

BlockDecision agree_on_decision(const comm::Communicator& communicator, const ClockState& clocks,
                                const std::string& time_limit, bool is_ready) {
  enum Count : std::size_t {
    time_is_up,
    checkpoint_is_due,
    display_is_due,
    join,
    ready,
    of_signals
  };
  std::array<std::int64_t, of_signals + core::stop_signals.size()> counts{};
  if (communicator.is_root()) {
    counts[time_is_up] = clocks.time_is_up ? 1 : 0;
    counts[checkpoint_is_due] = clocks.checkpoint_is_due ? 1 : 0;
    counts[display_is_due] = clocks.display_is_due ? 1 : 0;
    counts[join] = clocks.ranks_join ? 1 : 0;
  }
  counts[ready] = is_ready ? 1 : 0;
  for (std::size_t k = 0; k < core::stop_signals.size(); ++k) {
    counts[of_signals + k] = core::stop_signal() == core::stop_signals[k] ? 1 : 0;
  }
  communicator.sum(counts);
  BlockDecision decision{"", counts[checkpoint_is_due] > 0, counts[display_is_due] > 0,
                         counts[ready] == communicator.size()};
  if (counts[join] > 0) decision.stop_reason = job::join_stop_reason;
  if (counts[time_is_up] > 0) decision.stop_reason = "time limit of " + time_limit;
  for (std::size_t k = 0; k < core::stop_signals.size(); ++k) {
    if (counts[of_signals + k] > 0) {
      decision.stop_reason = "signal " + core::signal_name(core::stop_signals[k]);
    }
  }
  return decision;
}

std::string stop_message(const std::string& stop_reason, std::int64_t step,
                         std::int64_t last_step) {
  return fmt::format("stopped by {} at step {} of {}, checkpoint written; {}", stop_reason, step,
                     last_step,
                     stop_reason == job::join_stop_reason ? "it goes on with them"
                                                          : "the same command goes on from there");
}

}  // namespace nfold::common
