// Child processes: output, exit codes and orphans.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/child_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace nfold::supervise {
namespace {

using namespace std::chrono_literals;

StartCommand shell(const std::string& text) { return {{"sh", "-c", text}, {{"NAME", "value"}}}; }

TEST(ChildProcess, ReturnsErrorOutputAndExitCode) {
  std::string error;
  ChildProcess child(shell("echo $NAME >&2; exit 7"), ChildProcess::Output::inherited,
                     [&](std::string_view bytes) { error += bytes; });
  while (!child.wait(50ms)) {
  }
  EXPECT_EQ(child.exit_code(), 7);
  EXPECT_EQ(error, "value\n");
}

TEST(ChildProcess, SignalBecomesExitCode) {
  std::string error;
  const auto output = run_and_capture(shell("echo begun; echo why >&2; kill -9 $$"), 20s,
                                      [&](std::string_view bytes) { error += bytes; });
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 128 + SIGKILL);
  EXPECT_EQ(output->text, "begun\n");
  EXPECT_EQ(error, "why\n");
}

TEST(ChildProcess, MissingCommandReturns127) {
  const auto output = run_and_capture({{"no_such_program_of_nfold"}, {}}, 20s);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 127);
}

TEST(ChildProcess, EndlessCommandIsStopped) {
  EXPECT_FALSE(run_and_capture(shell("sleep 1000"), 0s));
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  EXPECT_EQ(errno, ECHILD);
}

TEST(ChildProcess, EndStopsOrphans) {
  adopt_orphans();
  // Grandchildren in groups of their own, as mpirun makes them, one of them stopped.
  std::string output;
  ChildProcess child(
      shell("setsid sleep 1000 & echo $! ; setsid sleep 1000 & echo $!; kill -STOP $!; "
            "kill -9 $$"),
      ChildProcess::Output::captured, nullptr, [&](std::string_view bytes) { output += bytes; });
  while (!child.wait(50ms)) {
  }
  EXPECT_TRUE(child.end());
  char* rest = output.data();
  int counted = 0;
  for (long process = std::strtol(rest, &rest, 10); process > 0;
       process = std::strtol(rest, &rest, 10)) {
    EXPECT_NE(kill(static_cast<pid_t>(process), 0), 0) << process;
    ++counted;
  }
  EXPECT_EQ(counted, 2) << output;
}

}  // namespace
}  // namespace nfold::supervise
