// The agreement between blocks of steps.
// SPDX-License-Identifier: BSD-3-Clause
#include "job/verdict.hpp"

#include <fmt/core.h>

#include <array>
#include <csignal>
#include <cstdint>

#include "job/more_ranks.hpp"
#include "job/signals.hpp"

namespace nfold::job {

Verdict agree_on_verdict(const comm::Communicator& communicator, const ClocksSay& clocks,
                         const std::string& time_limit, bool is_ready) {
  constexpr std::array signals{SIGTERM, SIGINT, SIGUSR1};
  std::array<std::int64_t, signals.size() + 5> counts{};
  for (std::size_t k = 0; k < signals.size(); ++k) counts[k] = stop_signal() == signals[k] ? 1 : 0;
  if (communicator.is_root()) {
    counts[3] = clocks.time_is_up ? 1 : 0;
    counts[4] = clocks.checkpoint_is_due ? 1 : 0;
    counts[5] = clocks.display_is_due ? 1 : 0;
    counts[6] = clocks.ranks_join ? 1 : 0;
  }
  counts[7] = is_ready ? 1 : 0;
  communicator.sum(counts);
  Verdict verdict{"", counts[4] > 0, counts[5] > 0, counts[7] == communicator.size()};
  if (counts[6] > 0) verdict.stop_reason = more_ranks_reason;
  if (counts[3] > 0) verdict.stop_reason = "time limit of " + time_limit;
  for (std::size_t k = 0; k < signals.size(); ++k) {
    if (counts[k] > 0) verdict.stop_reason = "signal " + signal_name(signals[k]);
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
