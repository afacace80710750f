// Signals that stop a run: they set a flag, which the session reads between blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <csignal>
#include <string>

namespace nfold::core {

inline constexpr std::array stop_signals{SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};

/// Makes SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGHUP and SIGXCPU set a flag instead of ending the
/// process. A second SIGINT, from a person at the keyboard, ends it. SIGHUP stays ignored under
/// nohup. Call once, before MPI starts.
void catch_stop_signals();
/// Restores the default actions, in a child process before exec.
void reset_signals();

/// Makes writes to a closed pipe (`| head -1`) fail instead of ending the process. Opens closed
/// standard streams as /dev/null, so that no file of a run takes their descriptors. Call once,
/// before any file is opened.
void ignore_broken_pipes();

/// Catches stop signals for its lifetime, then restores the actions before; for a library whose
/// program has handlers of its own. The flag is clear at its start and at its end.
class ScopedStopSignals {
 public:
  ScopedStopSignals();
  ~ScopedStopSignals();
  ScopedStopSignals(const ScopedStopSignals&) = delete;
  ScopedStopSignals& operator=(const ScopedStopSignals&) = delete;

 private:
  std::array<struct sigaction, stop_signals.size()> before_{};
};

/// Last signal received by this process; 0 if none.
[[nodiscard]] int stop_signal();

/// Returns "SIGUSR1".
[[nodiscard]] std::string signal_name(int signal_number);

}  // namespace nfold::core
