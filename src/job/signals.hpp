// Signals that ask a run to stop: they set a flag, which the session reads between blocks.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace nfold::job {

/// From now on SIGTERM, SIGINT and SIGUSR1 are remembered instead of ending the process. A second
/// SIGINT ends it as usual: a person at the keyboard insists. Call once, before MPI starts.
void catch_stop_signals();

/// The last one received by this process, 0 if none.
[[nodiscard]] int stop_signal();

/// "SIGUSR1"
[[nodiscard]] std::string signal_name(int signal_number);

}  // namespace nfold::job
