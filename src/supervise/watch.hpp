// Supervision of one attempt, from its start to the end of its last process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "supervise/heartbeat_monitor.hpp"
#include "supervise/outcome.hpp"
#include "supervise/start_command.hpp"

namespace nfold::supervise {

struct WatchRules {
  double heartbeat_limit_seconds = 900;  ///< <= 0: none
  std::function<void()> on_first_new_step;
  std::function<void(const std::string&)> print_message;
};

/// Starts the command and supervises it. A signal to this process (core/signals.hpp) is forwarded
/// as SIGUSR1, after which ranks write a checkpoint and exit with 75; after SIGTERM, mpirun would
/// kill them within a second. A stalled attempt is ended. Returns when no process of the attempt is
/// left on this node.
[[nodiscard]] Attempt watch(const StartCommand& command, HeartbeatMonitor& monitor,
                            const WatchRules& rules);

}  // namespace nfold::supervise
