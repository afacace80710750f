// Retry policy: the action after a failure, from the history alone.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "supervise/incident.hpp"
#include "supervise/placement.hpp"

namespace nfold::supervise {

struct RetryLimits {
  int retries = 5;           ///< Maximum number in a row without progress.
  double pause_seconds = 1;  ///< Before the first retry. Doubled for each further one.
};
inline constexpr double longest_pause_seconds = 300;

/// State of the machine after a failure.
struct MachineState {
  int nodes = 1;
  int fit_devices = 0;             ///< 0: unknown.
  bool can_requeue = false;        ///< True for Slurm with several nodes, which may be replaced.
  std::vector<std::string> unfit;  ///< UUIDs of GPUs that failed the test.
  std::vector<std::string> sick_hosts;  ///< Hosts of these GPUs.
};

struct Decision {
  enum class What { end, go_on, requeue };
  What what = What::end;
  double pause_seconds = 0;
  ExcludedResources leave;  ///< Additional exclusions from now on.
  std::string why;          ///< Message.
};

/// Decides the action after the last incident of `history` (>= 1).
[[nodiscard]] Decision decide(std::span<const Incident> history, const MachineState& machine,
                              const RetryLimits& limits);

/// Counts the failures since the last one with new progress, including that one.
[[nodiscard]] int failures_without_progress(std::span<const Incident> history);

}  // namespace nfold::supervise
