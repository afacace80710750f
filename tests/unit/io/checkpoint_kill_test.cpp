// kill -9 at random times while checkpoints are written: one that is whole can always be read.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "../../mpi/io/checkpoint_fixture.hpp"

namespace nfold {
namespace {

constexpr int residues = 400;

[[noreturn]] void write_until_killed(const std::filesystem::path& path, std::int64_t first) {
  const comm::Communicator alone;
  for (auto step = first;; ++step) {
    io::write_checkpoint(alone, path, test::make_header(residues, step),
                         test::whole_state(residues, step));
  }
}

TEST(CheckpointKill, TheNewestOrTheOneBeforeIsWhole) {
  const test::TemporaryFolder folder;
  const auto path = folder / "a.ckpt.h5";
  const comm::Communicator alone;
  std::mt19937 random(5);
  std::int64_t step = 0;
  int progressed = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(path, step + 1);
    usleep(1000 + random() % 150000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (!io::checkpoint_exists(path)) {
      ASSERT_EQ(step, 0) << "a checkpoint vanished";
      continue;
    }
    const auto found = io::read_checkpoint(alone, path);
    ASSERT_EQ(found.warning, "");  // the newest name always holds a whole file
    ASSERT_GE(found.header.step, step);
    ASSERT_EQ(found.state.position, test::whole_state(residues, found.header.step).position);
    if (found.header.step > step) ++progressed;
    step = found.header.step;
  }
  EXPECT_GT(progressed, 3);
}

}  // namespace
}  // namespace nfold
