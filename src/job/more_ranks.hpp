// How a run of a batch comes to more ranks: between its blocks of steps it asks whether some join.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

namespace nfold::job {

/// What is left of a run, as measured on the ranks that it has.
struct RestOfRun {
  double seconds = 0;
  double restart_seconds = 0;  ///< what it takes to stop and to start again from a checkpoint
  std::function<double(int ranks)> seconds_on;  ///< what `seconds` were on so many ranks
};

struct MoreRanksAnswer {
  bool join = false;  ///< the run is to stop now, with a checkpoint; it goes on with them
  std::string told;   ///< why, with numbers, for its log; may be empty
};
/// On rank 0 of the run alone; empty: nobody ever joins.
using AsksForMoreRanks = std::function<MoreRanksAnswer(const RestOfRun& rest)>;

/// The stop reason then.
inline constexpr const char* more_ranks_reason = "ranks that join";

}  // namespace nfold::job
