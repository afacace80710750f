// Collective decision between blocks of steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "job/verdict.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "job/more_ranks.hpp"
#include "job/signals.hpp"

namespace nfold::job {

Verdict agree_on_verdict(const comm::Communicator& communicator, const ClocksSay& clocks,
                         const std::string& time_limit, bool is_ready) {
  enum Count : std::size_t {
    time_is_up,
    checkpoint_is_due,
    display_is_due,
    join,
    ready,
    of_signals
  };
  std::array<std::int64_t, of_signals + stop_signals.size()> counts{};
  if (communicator.is_root()) {
    counts[time_is_up] = clocks.time_is_up ? 1 : 0;
    counts[checkpoint_is_due] = clocks.checkpoint_is_due ? 1 : 0;
    counts[display_is_due] = clocks.display_is_due ? 1 : 0;
    counts[join] = clocks.ranks_join ? 1 : 0;
  }
  counts[ready] = is_ready ? 1 : 0;
  for (std::size_t k = 0; k < stop_signals.size(); ++k) {
    counts[of_signals + k] = stop_signal() == stop_signals[k] ? 1 : 0;
  }
  communicator.sum(counts);
  Verdict verdict{"", counts[checkpoint_is_due] > 0, counts[display_is_due] > 0,
                  counts[ready] == communicator.size()};
  if (counts[join] > 0) verdict.stop_reason = more_ranks_reason;
  if (counts[time_is_up] > 0) verdict.stop_reason = "time limit of " + time_limit;
  for (std::size_t k = 0; k < stop_signals.size(); ++k) {
    if (counts[of_signals + k] > 0) {
      verdict.stop_reason = "signal " + signal_name(stop_signals[k]);
    }
  }
  return verdict;
}

std::string told_of_stop(const std::string& stop_reason, std::int64_t step,
                         std::int64_t last_step) {
  return fmt::format("stopped by {} at step {} of {}, checkpoint written; {}", stop_reason, step,
                     last_step,
                     stop_reason == more_ranks_reason ? "it goes on with them"
                                                      : "the same command goes on from there");
}

}  // namespace nfold::job
