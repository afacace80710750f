// Process start by fork, pipes, and search for descendants.
// SPDX-License-Identifier: BSD-3-Clause

#include "supervise/child_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/parse_number.hpp"
#include "core/signals.hpp"

namespace nfold::supervise {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Pipe {
  int read = -1, write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(std::string("no pipe can be made: ") + std::strerror(errno));
  }
  return {ends[0], ends[1]};
}

/// Returns the parent of each visible process of this machine. Includes zombies, which may still
/// have threads that hold files.
std::map<pid_t, pid_t> parents() {
  std::map<pid_t, pid_t> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto process = core::parse_number<pid_t>(entry.path().filename().string());
    if (!process) continue;
    std::ifstream file(entry.path() / "stat");
    std::string text;
    std::getline(file, text);
    // "PID (name) S PARENT"; the name may contain any character.
    const auto name_end = text.rfind(") ");
    if (name_end == std::string::npos || text.size() < name_end + 4) continue;
    all[*process] = static_cast<pid_t>(std::strtol(text.c_str() + name_end + 4, nullptr, 10));
  }
  return all;
}

std::vector<pid_t> find_descendants() {
  const auto all = parents();
  std::vector<pid_t> found;
  for (const auto& [process, parent] : all) {
    auto above = all.find(process);
    for (int depth = 0; above != all.end() && depth < 64; ++depth) {
      if (above->second == getpid()) {
        found.push_back(process);
        break;
      }
      above = all.find(above->second);
    }
  }
  return found;
}

[[noreturn]] void exec_command(const StartCommand& command, int output, int error, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(1);
  core::reset_signals();
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (output >= 0) dup2(output, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  for (const auto& [name, value] : command.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> words;
  words.reserve(command.words.size() + 1);
  for (const auto& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  const std::string message =
      "launch: " + command.words[0] + " cannot be started: " + std::strerror(errno) + "\n";
  (void)!write(STDERR_FILENO, message.data(), message.size());
  _exit(no_command_code);
}

}  // namespace

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

ChildProcess::ChildProcess(const StartCommand& command, Output output, OnBytes on_error,
                           OnBytes on_output)
    : on_error_(std::move(on_error)), on_output_(std::move(on_output)) {
  const Pipe error = make_pipe();
  const Pipe out = output == Output::captured ? make_pipe() : Pipe{};
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) exec_command(command, out.write, error.write, parent);
  if (process_ < 0) {
    throw std::runtime_error(std::string("no process can be started: ") + std::strerror(errno));
  }
  setpgid(process_, process_);  // also done by the child, to avoid a race
  close(error.write);
  if (out.write >= 0) close(out.write);
  error_ = error.read, output_ = out.read;
}

ChildProcess::~ChildProcess() {
  if (!exit_code_) end();
  for (const int descriptor : {error_, output_}) {
    if (descriptor >= 0) close(descriptor);
  }
}

void ChildProcess::read_bytes(int& descriptor, const OnBytes& taker) {
  std::array<char, 4096> bytes{};
  const auto count = read(descriptor, bytes.data(), bytes.size());
  if (count > 0) {
    if (taker) taker({bytes.data(), static_cast<std::size_t>(count)});
  } else if (count == 0 || (errno != EINTR && errno != EAGAIN)) {
    close(descriptor);
    descriptor = -1;
  }
}

// Reaps orphans too, whose exit codes are ignored.
void ChildProcess::reap() {
  int status = 0;
  for (pid_t ended = 0; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (ended != process_) continue;
    exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds longest) {
  reap();
  std::array<pollfd, 2> ends{pollfd{error_, POLLIN, 0}, pollfd{output_, POLLIN, 0}};
  // Without an open pipe, this is a sleep that a signal interrupts.
  const auto limit = exit_code_ ? 0ms : longest;
  const int ready = poll(ends.data(), ends.size(), static_cast<int>(limit.count()));
  if (ready > 0) {
    if (ends[0].revents != 0) read_bytes(error_, on_error_);
    if (ends[1].revents != 0) read_bytes(output_, on_output_);
  }
  // Orphans may hold a pipe open, so reading stops when the child has ended and no data is ready.
  return ready > 0 ? std::nullopt : exit_code_;
}

void ChildProcess::signal(int number) const {
  if (!exit_code_) kill(process_, number);
}

bool ChildProcess::end() {
  constexpr auto patience = 3s, most = 10s;
  if (!exit_code_) {
    kill(-process_, SIGCONT);  // a stopped process does not handle SIGTERM
    kill(-process_, SIGTERM);
    for (const auto until = Clock::now() + patience; !exit_code_ && Clock::now() < until;) {
      wait(50ms);
    }
  }
  for (const auto until = Clock::now() + most; Clock::now() < until;) {
    const auto left = find_descendants();
    for (const pid_t process : left) kill(process, SIGKILL);
    reap();
    if (left.empty() && exit_code_) break;
    std::this_thread::sleep_for(20ms);
  }
  while (wait(0ms) == std::nullopt && (error_ >= 0 || output_ >= 0) && exit_code_) {
  }
  return find_descendants().empty();
}

std::optional<CommandOutput> run_and_capture(const StartCommand& command,
                                             std::chrono::seconds limit,
                                             ChildProcess::OnBytes on_error) {
  CommandOutput output;
  ChildProcess child(command, ChildProcess::Output::captured, std::move(on_error),
                     [&output](std::string_view bytes) { output.text += bytes; });
  for (const auto until = Clock::now() + limit; Clock::now() < until;) {
    if (const auto code = child.wait(50ms)) {
      output.exit_code = *code;
      return output;
    }
  }
  child.end();
  return std::nullopt;
}

}  // namespace nfold::supervise
