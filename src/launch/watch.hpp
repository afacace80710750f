// One attempt from its start to its last process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "launch/ending.hpp"
#include "launch/pulse.hpp"
#include "launch/start_command.hpp"

namespace nfold::launch {

/// Seconds since some moment, that never go back.
[[nodiscard]] double seconds_now();

struct WatchRules {
  double heartbeat_limit_seconds = 900;  ///< <= 0: none
  std::function<void()> on_first_new_step;
  std::function<void(const std::string&)> say;
};

/// Starts the command and follows it. A signal to this process (job/signals.hpp) is handed on as
/// SIGUSR1, upon which ranks write a checkpoint and end with 75: mpirun itself would kill them a
/// second after SIGTERM. An attempt that stands still is ended. When this returns none of its
/// processes is left on this node.
[[nodiscard]] Attempt watch(const StartCommand& command, Pulse& pulse, const WatchRules& rules);

}  // namespace nfold::launch
