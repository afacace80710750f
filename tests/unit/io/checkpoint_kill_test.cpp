// kill -9 at random times while checkpoints are written: one that is whole can always be read.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <random>

#include "../../mpi/io/checkpoint_fixture.hpp"
#include "killed_child.hpp"

namespace nfold {
namespace {

constexpr int residues = 400;

TEST(CheckpointKill, TheNewestNameAlwaysHoldsAWholeFile) {
  const test::TemporaryFolder folder;
  const auto path = folder / "a.ckpt.h5";
  const comm::Communicator alone;
  std::mt19937 random(5);
  std::int64_t step = 0;
  for (int kill_number = 0; kill_number < 20; ++kill_number) {
    const auto write = [&](int round) {
      const auto now = step + 1 + round;
      io::write_checkpoint(alone, path, test::make_header(residues, now),
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

}  // namespace
}  // namespace nfold
