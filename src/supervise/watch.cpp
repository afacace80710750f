// Forwarding of output and signals, and polling of status files.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/watch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/failure.hpp"
#include "core/signals.hpp"
#include "supervise/child_process.hpp"
#include "supervise/error_output.hpp"

namespace nfold::supervise {
namespace {

using namespace std::chrono_literals;

/// Copies the child's standard error to this process's, except lines that are for launch alone, and
/// feeds it line by line to the reader.
class Tee {
 public:
  void take(std::string_view bytes) {
    line_ += bytes;
    for (std::size_t end = 0; (end = line_.find('\n')) != std::string::npos;) {
      copy(end + 1, true);
      reader_.read(std::string_view(line_).substr(0, end));
      line_.erase(0, end + 1);
      copied_ = 0;
    }
    copy(line_.size(), false);
  }
  [[nodiscard]] const ErrorOutput& finish() {
    copy(line_.size(), true);
    reader_.read(line_);
    line_.clear();
    return reader_.words();
  }

 private:
  /// Copies the line up to `end`. A part that may become an outcome line waits for more.
  void copy(std::size_t end, bool is_whole) {
    const std::string_view line = std::string_view(line_).substr(0, end);
    const std::string_view hidden = core::outcome_line_start;
    if (line.starts_with(hidden) || (!is_whole && hidden.starts_with(line))) return;
    for (auto rest = line.substr(copied_); !rest.empty();) {
      const auto count = ::write(STDERR_FILENO, rest.data(), rest.size());
      if (count <= 0) break;  // standard error is closed
      rest.remove_prefix(static_cast<std::size_t>(count));
    }
    copied_ = end;
  }

  ErrorOutputReader reader_;
  std::string line_;
  std::size_t copied_ = 0;  ///< Bytes of line_ that are copied.
};

/// Limits the polling to a share of time, since a batch may have thousands of files on a slow disk.
class PollTimer {
 public:
  void update(HeartbeatMonitor& monitor, double now_s) {
    if (now_s < next_s_) return;
    monitor.update(now_s);
    constexpr double shortest_s = 0.25, share_of_time = 0.02;
    const double took_s = core::seconds_now() - now_s;
    next_s_ = now_s + std::max(shortest_s, took_s / share_of_time);
  }

 private:
  double next_s_ = 0;
};

}  // namespace

Attempt watch(const StartCommand& command, HeartbeatMonitor& monitor, const WatchRules& rules) {
  Attempt attempt;
  Tee tee;
  ChildProcess child(command, ChildProcess::Output::inherited,
                     [&tee](std::string_view bytes) { tee.take(bytes); });
  PollTimer poll_timer;
  bool has_handed_on = false, has_moved = false;
  std::optional<int> code;
  while (!(code = child.wait(50ms))) {
    const double now_s = core::seconds_now();
    if (const int number = core::stop_signal(); number != 0 && !has_handed_on) {
      rules.print_message(fmt::format("{}: the run is told to write a checkpoint and to end",
                                      core::signal_name(number)));
      child.signal(SIGUSR1);
      has_handed_on = true;
    }
    poll_timer.update(monitor, now_s);
    if (!has_moved && monitor.first_new_step_at()) {
      has_moved = true;
      rules.on_first_new_step();
    }
    attempt.stall = monitor.find_stall(now_s, rules.heartbeat_limit_seconds);
    if (!attempt.was_ended()) continue;
    rules.print_message(attempt.stall.words + ": the job is ended");
    break;
  }
  if (!child.end())
    rules.print_message("a process of the job cannot be ended; it waits for a disk or a GPU");
  attempt.exit_code = code ? *code : child.exit_code().value_or(1);
  monitor.update(core::seconds_now());
  if (!has_moved && monitor.first_new_step_at()) rules.on_first_new_step();
  attempt.status = monitor.status();
  attempt.words = tee.finish();
  // Without mpirun, only the exit code shows the signal of the rank: 128 + 1 to 64. Code 255 is
  // used by ssh and launchers.
  if (attempt.exit_code > 128 && attempt.exit_code <= 128 + 64 && !attempt.words.signal) {
    attempt.words.signal = attempt.exit_code - 128;
  }
  return attempt;
}

}  // namespace nfold::supervise
