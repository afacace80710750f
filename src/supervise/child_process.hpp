// Child process with its descendants: output, exit code and termination.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "supervise/start_command.hpp"

namespace nfold::supervise {

/// Makes orphaned descendants children of this process, so that ranks which outlive mpirun can be
/// found and ended. Called once.
void adopt_orphans();

/// Exit code of a child whose command cannot be executed, as of a shell.
inline constexpr int no_command_code = 127;

class ChildProcess {
 public:
  using OnBytes = std::function<void(std::string_view)>;
  enum class Output { inherited, captured };

  /// Starts the command in its own process group, so that a terminal's ^C reaches it through this
  /// process only. It receives SIGTERM if this process dies. Standard error goes to on_error;
  /// standard output, if it is read, to on_output. Throws std::runtime_error if it cannot start.
  ChildProcess(const StartCommand& command, Output output, OnBytes on_error,
               OnBytes on_output = nullptr);
  /// Ends the child if it is running.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Reads output for at most `longest`, less if a signal arrives. Returns the exit code once the
  /// child has ended and its output is read: 128 + N if it died of signal N.
  std::optional<int> wait(std::chrono::milliseconds longest);
  void signal(int number) const;
  /// Ends the child and its descendants on this node, by SIGTERM and then SIGKILL. Returns false if
  /// a process remains, which waits for a disk or a device.
  bool end();
  [[nodiscard]] std::optional<int> exit_code() const { return exit_code_; }

 private:
  void read_bytes(int& descriptor, const OnBytes& taker);
  void reap();

  pid_t process_ = -1;
  int error_ = -1, output_ = -1;
  OnBytes on_error_, on_output_;
  std::optional<int> exit_code_;
};

/// Exit code and standard output of a command.
struct CommandOutput {
  int exit_code = 0;
  std::string text;
};
/// Runs a command. Standard error goes to on_error. None if it does not end within the limit.
[[nodiscard]] std::optional<CommandOutput> run_and_capture(
    const StartCommand& command, std::chrono::seconds limit,
    ChildProcess::OnBytes on_error = nullptr);

}  // namespace nfold::supervise
