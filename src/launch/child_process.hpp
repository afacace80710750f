// One child with all that it starts: its words as they come, its end, and nothing left behind.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "launch/start_command.hpp"

namespace nfold::launch {

/// Processes whose parent dies become children of this one from now on, so that ranks which outlive
/// mpirun can be found and ended. Call once.
void adopt_orphans();

class ChildProcess {
 public:
  using OnBytes = std::function<void(std::string_view)>;
  enum class Output { passes, is_read };

  /// Starts it in a process group of its own, so that a terminal's ^C reaches it through this
  /// process only; it is ended (SIGTERM) if this process dies. What it writes on standard error
  /// goes to on_error; on standard output, if that is read, to on_output. std::runtime_error.
  ChildProcess(const StartCommand& command, Output output, OnBytes on_error,
               OnBytes on_output = nullptr);
  /// Ends it if it still is there.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Takes what it writes for so long at most, less if a signal comes; its exit code once it has
  /// ended and all is read: 128 + N if it died of signal N.
  std::optional<int> wait(std::chrono::milliseconds longest);
  void signal(int number) const;
  /// Ends it and all that it started on this node: first by SIGTERM, then without asking. False if
  /// one is still there, which the system cannot end (it waits for a disk or a device).
  bool end();
  [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }

 private:
  void take_bytes(int& descriptor, const OnBytes& taker);
  void reap();

  pid_t process_ = -1;
  int error_ = -1, output_ = -1;
  OnBytes on_error_, on_output_;
  std::optional<int> exit_code_;
};

/// What a command writes on standard output, and its exit code; none if it does not end in time.
struct CommandOutput {
  int exit_code = 0;
  std::string text;
};
[[nodiscard]] std::optional<CommandOutput> output_of(const StartCommand& command,
                                                     std::chrono::seconds limit);

}  // namespace nfold::launch
