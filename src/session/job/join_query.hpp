// Requests of a batch's run for more ranks, between its blocks of steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace nfold::job {

/// Remaining time of a run, as measured on its current ranks [s].
struct RemainingRun {
  double seconds = 0;
  double restart_seconds = 0;                   ///< to stop and to start again from a checkpoint
  std::function<double(int ranks)> seconds_on;  ///< estimate of `seconds` on so many ranks
};

struct JoinAnswer {
  bool join = false;   ///< true: the run stops now with a checkpoint and resumes with more ranks
  std::string reason;  ///< reason with numbers, for the run's log; may be empty
};
/// Query to the batch, called on rank 0 of the run. Empty: no rank ever joins.
using JoinQuery = std::function<JoinAnswer(const RemainingRun& rest)>;

/// Stop reason of a run that ranks join.
inline constexpr const char* join_stop_reason = "ranks that join";

}  // namespace nfold::job
