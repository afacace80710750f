// The handler sets a flag and does nothing else.
// SPDX-License-Identifier: BSD-3-Clause

#include "job/signals.hpp"

#include <csignal>

namespace nfold::job {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void remember(int signal_number) { received = signal_number; }

void on_signal(int signal_number, int flags) {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void catch_stop_signals() {
  on_signal(SIGTERM, SA_RESTART);
  on_signal(SIGUSR1, SA_RESTART);
  on_signal(SIGINT, static_cast<int>(SA_RESTART | SA_RESETHAND));
}

int stop_signal() { return received; }

std::string signal_name(int signal_number) {
  switch (signal_number) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGUSR1:
      return "SIGUSR1";
    default:
      return "signal " + std::to_string(signal_number);
  }
}

}  // namespace nfold::job
