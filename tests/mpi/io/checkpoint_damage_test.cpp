// Damaged checkpoints: a flipped byte or a truncation is detected, and the previous file is used.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "checkpoint_fixture.hpp"

namespace nfold {
namespace {

using comm::Communicator;
using test::SharedFolder;

constexpr int residues = 5;

class CheckpointDamage : public testing::Test {
 protected:
  CheckpointDamage() {
    for (const int step : {1, 2}) {
      const auto state = test::whole_state(residues, step);
      test::write_checkpoint(
          world_, path_, test::make_header(residues, step),
          test::select_rows(state, [&](int id) { return id % world_.size() == world_.rank(); }));
    }
    whole_ = test::read_file(path_);
    world_.barrier();
  }

  // Rank 0 overwrites the newest file with `bytes`; all ranks read. Succeeds if the contents are
  // those of the newest file, or those of the previous one with a warning that names the newest.
  testing::AssertionResult survives(const std::string& bytes) {
    if (world_.is_root()) test::write_file(path_, bytes);
    const auto found = io::read_checkpoint(world_, path_);
    const auto step = found.header.step;
    const auto expected = test::whole_state(residues, step);
    if (found.state.position != expected.position || found.state.velocity != expected.velocity ||
        found.header.accumulators != test::make_header(residues, step).accumulators ||
        found.header.resolved_input != test::make_header(residues, step).resolved_input ||
        found.header.seed != test::make_header(residues, step).seed) {
      return testing::AssertionFailure() << "wrong contents taken for those of step " << step;
    }
    if (step == 2 && found.warning.empty()) return testing::AssertionSuccess();
    if (step != 1) return testing::AssertionFailure() << "step " << step;
    ++fallbacks_;
    if (!found.warning.starts_with(path_.string() + ": ")) {
      return testing::AssertionFailure() << "warning: " << found.warning;
    }
    return testing::AssertionSuccess();
  }

  Communicator world_ = Communicator::world();
  SharedFolder folder_{world_};
  std::filesystem::path path_ = folder_ / "a.ckpt.h5";
  std::string whole_;
  std::size_t fallbacks_ = 0;
};

TEST_F(CheckpointDamage, EveryFlippedByteIsFound) {
  // Odd strides cover all bits; all bytes would take half a minute.
  const std::size_t stride = world_.size() == 1 ? 13 : 97;
  std::size_t trials = 0;
  for (std::size_t at = 0; at < whole_.size(); at += stride) {
    auto flipped = whole_;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    EXPECT_TRUE(survives(flipped)) << "byte " << at;
    ++trials;
  }
  EXPECT_EQ(fallbacks_, trials);
}

TEST_F(CheckpointDamage, EveryTruncationIsFound) {
  const std::size_t stride = world_.size() == 1 ? 37 : 997;
  std::size_t trials = 0;
  for (std::size_t length = 0; length < whole_.size(); length += stride) {
    EXPECT_TRUE(survives(whole_.substr(0, length))) << "length " << length;
    ++trials;
  }
  EXPECT_EQ(fallbacks_, trials);
  EXPECT_TRUE(survives(whole_ + "x"));
  EXPECT_TRUE(survives(std::string(whole_.size(), '\0')));
  EXPECT_EQ(fallbacks_, trials + 2);
  EXPECT_TRUE(survives(whole_));
  EXPECT_EQ(fallbacks_, trials + 2);
}

// A damaged file must not replace the good previous one.
TEST_F(CheckpointDamage, DamagedFileNeverBecomesPrevious) {
  auto flipped = whole_;
  flipped[whole_.size() / 2] = static_cast<char>(flipped[whole_.size() / 2] ^ 1);
  EXPECT_TRUE(survives(flipped));
  world_.barrier();
  const auto state = test::whole_state(residues, 3);
  test::write_checkpoint(
      world_, path_, test::make_header(residues, 3),
      test::select_rows(state, [&](int id) { return id % world_.size() == world_.rank(); }));
  EXPECT_EQ(io::read_checkpoint(world_, path_).header.step, 3);
  EXPECT_EQ(io::read_checkpoint(world_, io::previous_checkpoint_path(path_)).header.step, 1);
}

TEST_F(CheckpointDamage, ErrorNamesBothDamagedFiles) {
  if (world_.is_root()) {
    test::write_file(path_, whole_.substr(0, 1000));
    test::write_file(io::previous_checkpoint_path(path_), "");
  }
  world_.barrier();
  try {
    (void)io::read_checkpoint(world_, path_);
    ADD_FAILURE() << "read damaged files";
  } catch (const storage::FileError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a.ckpt.h5: torn"));
    EXPECT_THAT(error.what(), testing::HasSubstr("a.ckpt.prev.h5: torn"));
  }
}

}  // namespace
}  // namespace nfold
