// Signals that ask a run to stop: they set a flag, which the session reads between blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace nfold::job {

inline constexpr std::array stop_signals{SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

/// From now on SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP and SIGXCPU are remembered instead of
/// ending the process. A second SIGINT ends it as usual: a person at the keyboard insists. SIGHUP
/// stays ignored where nohup has it ignored. Call once, before MPI starts.
void catch_stop_signals();
/// Restores the default actions, for a child before it becomes another program.
void reset_signals();

/// From now on a display whose reader has gone (`| head -1`) fails to write instead of ending the
/// process. A standard stream that is closed leads to /dev/null, so that no file of a run takes its
/// descriptor. Call once, before any file is opened.
void outlive_readers();

/// The last one received by this process, 0 if none.
[[nodiscard]] int stop_signal();

/// "SIGUSR1"
[[nodiscard]] std::string signal_name(int signal_number);

}  // namespace nfold::job
