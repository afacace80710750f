// A child, its words and what it leaves behind.
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/child_process.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace nfold::launch {
namespace {

using namespace std::chrono_literals;

StartCommand shell(const std::string& text) { return {{"sh", "-c", text}, {{"NAME", "value"}}}; }

TEST(ChildProcess, ItsWordsEnvironmentAndCode) {
  std::string error;
  ChildProcess child(shell("echo $NAME >&2; exit 7"), ChildProcess::Output::passes,
                     [&](std::string_view bytes) { error += bytes; });
  while (!child.wait(50ms)) {
  }
  EXPECT_EQ(child.exit_code(), 7);
  EXPECT_EQ(error, "value\n");
}

TEST(ChildProcess, ASignalIsACode) {
  const auto output = output_of(shell("echo begun; kill -9 $$"), 20s);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 128 + SIGKILL);
  EXPECT_EQ(output->text, "begun\n");
}

TEST(ChildProcess, ACommandThatIsNotThere) {
  const auto output = output_of({{"no_such_program_of_nfold"}, {}}, 20s);
  ASSERT_TRUE(output);
  EXPECT_EQ(output->exit_code, 127);
}

TEST(ChildProcess, ACommandThatDoesNotEndIsEnded) {
  EXPECT_FALSE(output_of(shell("sleep 1000"), 0s));
}

TEST(ChildProcess, NothingIsLeftBehind) {
  adopt_orphans();
  // Grandchildren in groups of their own, as mpirun makes them, one of them stopped.
  std::string told;
  ChildProcess child(
      shell("setsid sleep 1000 & echo $! ; setsid sleep 1000 & echo $!; kill -STOP $!; "
            "kill -9 $$"),
      ChildProcess::Output::is_read, nullptr, [&](std::string_view bytes) { told += bytes; });
  while (!child.wait(50ms)) {
  }
  EXPECT_TRUE(child.end());
  char* rest = told.data();
  int counted = 0;
  for (long process = std::strtol(rest, &rest, 10); process > 0;
       process = std::strtol(rest, &rest, 10)) {
    EXPECT_NE(kill(static_cast<pid_t>(process), 0), 0) << process;
    ++counted;
  }
  EXPECT_EQ(counted, 2) << told;
}

}  // namespace
}  // namespace nfold::launch
