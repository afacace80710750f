// What follows a failure, from the history alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "job/exit_code.hpp"
#include "launch/ending.hpp"
#include "launch/placement.hpp"

namespace nfold::launch {

struct RetryLimits {
  int retries = 5;           ///< in a row without progress
  double pause_seconds = 1;  ///< before the first of them; each further one waits twice as long
};
inline constexpr double longest_pause_seconds = 300;

struct Failure {
  Ending ending = Ending::crash;
  Culprit culprit;
  std::int64_t progress = 0;  ///< the last step that was seen, of all parts together
  std::string reason;
};

/// What is known of the machine after a failure.
struct MachineNow {
  int nodes = 1;
  int fit_devices = 0;             ///< 0: none is known
  bool can_requeue = false;        ///< a scheduler may give other nodes: Slurm, several of them
  std::vector<std::string> unfit;  ///< GPUs that the test found so, by UUID
  std::vector<std::string> sick_hosts;  ///< of these
};

struct Decision {
  enum class What { end, go_on, requeue };
  What what = What::end;
  job::ExitCode exit_code = job::ExitCode::failed;  ///< of an end
  double pause_seconds = 0;
  LeftOut leave;    ///< from now on, beside what was left out before
  std::string why;  ///< for a person
};

/// The last of `history` (>= 1) is the failure to decide on; endings that are none have no place.
[[nodiscard]] Decision decide(std::span<const Failure> history, const MachineNow& machine,
                              const RetryLimits& limits);

/// Failures in a row since one that came further than all before, that one included.
[[nodiscard]] int failures_without_progress(std::span<const Failure> history);

}  // namespace nfold::launch
