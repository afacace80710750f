// Signal handlers that only set a flag.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>

namespace nfold::core {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void remember(int signal_number) { received = signal_number; }

/// True if a signal is ignored, as SIGHUP is under nohup; it stays so.
bool is_ignored(int signal_number) {
  struct sigaction now {};
  return sigaction(signal_number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void on_signal(int signal_number, int flags) {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

void catch_stop_signals() {
  for (const int number : stop_signals) {
    if (number == SIGHUP && is_ignored(number)) continue;
    on_signal(number, static_cast<int>(number == SIGINT ? SA_RESTART | SA_RESETHAND : SA_RESTART));
  }
}

void reset_signals() {
  for (const int number : stop_signals) {
    if (!is_ignored(number)) (void)std::signal(number, SIG_DFL);
  }
  (void)std::signal(SIGPIPE, SIG_DFL);
}

void ignore_broken_pipes() {
  (void)std::signal(SIGPIPE, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR);
  }
}

ScopedStopSignals::ScopedStopSignals() {
  received = 0;
  for (std::size_t k = 0; k < stop_signals.size(); ++k) {
    sigaction(stop_signals.at(k), nullptr, &before_.at(k));
  }
  catch_stop_signals();
}

ScopedStopSignals::~ScopedStopSignals() {
  for (std::size_t k = 0; k < stop_signals.size(); ++k) {
    sigaction(stop_signals.at(k), &before_.at(k), nullptr);
  }
  received = 0;
}

int stop_signal() { return received; }

std::string signal_name(int signal_number) {
  // In the order of stop_signals.
  constexpr std::array<const char*, stop_signals.size()> names{"SIGTERM", "SIGINT", "SIGUSR1",
                                                               "SIGUSR2", "SIGHUP", "SIGXCPU"};
  const auto* const found = std::find(stop_signals.begin(), stop_signals.end(), signal_number);
  if (found == stop_signals.end()) return "signal " + std::to_string(signal_number);
  return names.at(static_cast<std::size_t>(found - stop_signals.begin()));
}

}  // namespace nfold::core
