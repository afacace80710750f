// Readable checkpoints after kill -9 at random times.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "../../mpi/io/checkpoint_fixture.hpp"
#include "io/checkpoint_writer.hpp"
#include "killed_child.hpp"

namespace nfold {
namespace {

constexpr int residues = 400;

TEST(CheckpointKill, NewestFileIsAlwaysWhole) {
  const test::TemporaryFolder folder;
  const auto path = folder / "a.ckpt.h5";
  const comm::Communicator alone;
  std::mt19937 random(5);
  std::int64_t step = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const auto write = [&](int round) {
      const auto now = step + 1 + round;
      test::write_checkpoint(alone, path, test::make_header(residues, now),
                             test::whole_state(residues, now));
    };
    const int rounds = kill_number == 0 ? 1 : static_cast<int>(random() % 3);
    test::kill_at_work(write, rounds, random() % 50000);
    const auto found = io::read_checkpoint(alone, path);
    ASSERT_EQ(found.warning, "");
    ASSERT_GE(found.header.step, step + rounds);
    ASSERT_EQ(found.state.position, test::whole_state(residues, found.header.step).position);
    step = found.header.step;
  }
}

// Kills the writer at each stage of a background write.
TEST(CheckpointKill, BackgroundWriteKeepsOldFile) {
  const test::TemporaryFolder folder;
  const auto path = folder / "a.ckpt.h5";
  const comm::Communicator alone;
  test::write_checkpoint(alone, path, test::make_header(residues, 1),
                         test::whole_state(residues, 1));
  int stages = 1;
  io::CheckpointWriter counted(alone, folder / "b.ckpt.h5", test::make_header(residues, 2),
                               [] { return test::whole_state(residues, 2); });
  while (!counted.advance()) ++stages;
  ASSERT_GT(stages, 1);
  for (int ended = 0; ended < stages; ++ended) {
    const auto write = [&](int) {
      io::CheckpointWriter writing(alone, path, test::make_header(residues, 2),
                                   [] { return test::whole_state(residues, 2); });
      for (int stage = 0; stage < ended; ++stage) {
        if (writing.advance()) throw std::runtime_error("the checkpoint is complete");
      }
      raise(SIGKILL);
    };
    test::kill_at_work(write, 1, 0);
    EXPECT_TRUE(std::filesystem::exists(folder / "a.ckpt.h5"));
    const auto found = io::read_checkpoint(alone, path);
    EXPECT_EQ(found.warning, "");
    // The thread of the last stage may rename the file before the kill.
    if (ended < stages - 1) {
      EXPECT_EQ(found.header.step, 1);
    } else {
      EXPECT_LE(found.header.step, 2);
    }
  }
  // Files left by killed writers do not block the next write.
  test::write_checkpoint(alone, path, test::make_header(residues, 3),
                         test::whole_state(residues, 3));
  EXPECT_EQ(io::read_checkpoint(alone, path).header.step, 3);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.ckpt.h5.tmp"));
}

}  // namespace
}  // namespace nfold
