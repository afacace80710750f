// A checkpoint that is written while steps go on: the bytes of one that is waited for, or nothing.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/checkpoint_writing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>
#include <stdexcept>
#include <thread>

#include "checkpoint_fixture.hpp"
#include "storage/atomic_file.hpp"

namespace nfold {
namespace {

using comm::Communicator;
using io::CheckpointWriting;
using test::make_header;
using test::SharedFolder;
using test::whole_state;

constexpr int stages = 4;  // where a rank's rows are written in one piece
constexpr std::int64_t rows_of_small_piece = 100;

class CheckpointBesideSteps : public testing::Test {
 protected:
  [[nodiscard]] system::State mine(int residues, std::int64_t step) const {
    return test::part_of(whole_state(residues, step),
                         [&](int id) { return (id * 7 + 3) % world_.size() == world_.rank(); });
  }
  /// What the writing of this step fails with on this rank; before(stage) comes before each stage's
  /// end. Empty if it does not fail.
  [[nodiscard]] std::string failure_of_step(std::int64_t step,
                                            const std::function<void(int)>& before) {
    try {
      CheckpointWriting writing(
          world_, path_, make_header(residues_, step), [&] { return mine(residues_, step); },
          rows_of_small_piece);
      for (int stage = 0;; ++stage) {
        while (!writing.is_ready()) std::this_thread::yield();
        before(stage);
        if (writing.go_on()) return {};
      }
    } catch (const storage::FileError& error) {
      return error.what();
    }
  }
  void expect_step(const std::filesystem::path& path, std::int64_t step) const {
    const auto found = io::read_checkpoint(world_, path);
    EXPECT_EQ(found.warning, "");
    EXPECT_EQ(found.state.step, step);
    EXPECT_EQ(found.state.position, whole_state(residues_, step).position);
    EXPECT_EQ(found.state.velocity, whole_state(residues_, step).velocity);
  }
  [[nodiscard]] bool same_on_all_ranks(const std::string& text) const {
    return !world_.any(world_.broadcast(text) != text);
  }

  Communicator world_ = Communicator::world();
  SharedFolder folder_{world_};
  std::filesystem::path path_ = folder_ / "a.ckpt.h5";
  int residues_ = 3000;
};

// The reference is written by one process alone. Rows change as soon as they are taken, as where
// steps go on.
TEST_F(CheckpointBesideSteps, HasTheBytesOfOneThatIsWaitedFor) {
  for (const int residues : {1, 23, 3000}) {
    const auto header = make_header(residues, 5);
    const auto alone = folder_ / ("alone" + std::to_string(residues));
    if (world_.is_root()) {
      io::write_checkpoint(Communicator(), alone, header, whole_state(residues, 5));
    }
    io::write_checkpoint(world_, folder_ / "waited", header, mine(residues, 5));
    auto rows = mine(residues, 5);
    CheckpointWriting writing(world_, folder_ / "beside", header, [&] {
      auto taken = rows;
      for (auto& position : rows.position) position = {};
      return taken;
    });
    int met = 0;
    do {
      while (!writing.is_ready()) std::this_thread::yield();
      ++met;
    } while (!writing.go_on());
    EXPECT_EQ(met, stages);
    if (!world_.is_root()) continue;
    const auto bytes = test::read_file(alone);
    EXPECT_EQ(test::read_file(folder_ / "waited"), bytes) << residues;
    EXPECT_EQ(test::read_file(folder_ / "beside"), bytes) << residues;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "beside.tmp"));
  }
}

TEST_F(CheckpointBesideSteps, PiecesMakeTheSameBytes) {
  const auto header = make_header(residues_, 5);
  io::write_checkpoint(world_, folder_ / "whole", header, mine(residues_, 5));
  for (const std::int64_t rows : {7, 100, 2999}) {
    const auto path = folder_ / ("in pieces of " + std::to_string(rows));
    CheckpointWriting writing(
        world_, path, header, [&] { return mine(residues_, 5); }, rows);
    int met = 1;
    while (!writing.go_on()) ++met;
    const auto most = (residues_ + world_.size() - 1) / world_.size();
    const auto pieces = (most + rows - 1) / rows;
    EXPECT_EQ(met, stages - 1 + pieces) << rows;
    if (!world_.is_root()) continue;
    EXPECT_EQ(test::read_file(path), test::read_file(folder_ / "whole")) << rows;
  }
}

TEST_F(CheckpointBesideSteps, ResidueOfTwoRanksIsAnErrorInAnyPiece) {
  if (world_.size() == 1) GTEST_SKIP() << "a rank's rows are ascending ids";
  for (const int twice : {0, 1500, residues_ - 1}) {
    const auto part = [&] {
      return test::part_of(whole_state(residues_, 5), [&](int id) {
        const bool is_last_rank = world_.rank() == world_.size() - 1;
        return id == twice ? world_.rank() == 0 || is_last_rank
                           : id % world_.size() == world_.rank();
      });
    };
    try {
      CheckpointWriting(world_, path_, make_header(residues_, 5), part, rows_of_small_piece)
          .finish();
      ADD_FAILURE() << "residue " << twice << " has two owners";
    } catch (const storage::FileError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(twice) + " came from two ranks"));
    }
    EXPECT_FALSE(io::checkpoint_exists(path_));
  }
}

TEST_F(CheckpointBesideSteps, GivenUpLeavesTheOldOnes) {
  for (const int step : {1, 2}) {
    io::write_checkpoint(world_, path_, make_header(residues_, step), mine(residues_, step));
  }
  for (int ended = 0; ended < stages; ++ended) {
    {
      CheckpointWriting writing(world_, path_, make_header(residues_, 3),
                                [&] { return mine(residues_, 3); });
      for (int stage = 0; stage < ended; ++stage) EXPECT_FALSE(writing.go_on());
      if (ended == stages - 1) break;  // its last half would rename
    }
    world_.barrier();
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.ckpt.h5.tmp"));
    expect_step(path_, 2);
    expect_step(io::previous_checkpoint_path(path_), 1);
  }
}

// A limit on file sizes stands in for a disk that gets full while steps go on, as the last rank
// writes its rows, the first or later ones.
TEST_F(CheckpointBesideSteps, FullDiskIsOneErrorAndLeavesTheOldOnes) {
  storage::turn_file_size_signal_into_error();
  for (const int step : {1, 2}) EXPECT_EQ(failure_of_step(step, [](int) {}), "");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{40000, before.rlim_max};
  // Behind the end of stage 0 rows are written.
  for (const int full_from : {0, 3}) {
    const auto text = failure_of_step(3, [&](int stage) {
      const bool is_full = stage == full_from && world_.rank() == world_.size() - 1;
      if (is_full) setrlimit(RLIMIT_FSIZE, &tight);
    });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(same_on_all_ranks(text));
    EXPECT_THAT(text, testing::AllOf(testing::HasSubstr("a.ckpt.h5.tmp: cannot "),
                                     testing::HasSubstr("ulimit -f")));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.ckpt.h5.tmp"));
    expect_step(path_, 2);
    expect_step(io::previous_checkpoint_path(path_), 1);
  }
}

TEST_F(CheckpointBesideSteps, RowsThatCannotBeTakenAreOneError) {
  std::string text;
  try {
    CheckpointWriting writing(world_, path_, make_header(residues_, 1), [&]() -> system::State {
      if (world_.rank() == world_.size() - 1) throw std::runtime_error("no answer of the GPU");
      return mine(residues_, 1);
    });
    writing.finish();
  } catch (const storage::FileError& error) {
    text = error.what();
  }
  EXPECT_THAT(text, testing::HasSubstr("no answer of the GPU"));
  EXPECT_TRUE(same_on_all_ranks(text));
  EXPECT_FALSE(io::checkpoint_exists(path_));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.ckpt.h5.tmp"));
}

}  // namespace
}  // namespace nfold
