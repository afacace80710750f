// Checkpoints written while steps continue: the bytes of a blocking write, or one error.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>
#include <stdexcept>
#include <thread>

#include "checkpoint_fixture.hpp"
#include "core/storage/atomic_file.hpp"
#include "io/checkpoint_writer.hpp"

namespace nfold {
namespace {

using comm::Communicator;
using io::CheckpointWriter;
using test::make_header;
using test::SharedFolder;
using test::whole_state;

constexpr int stages = 4;  // if a rank's rows are written in one piece
constexpr std::int64_t rows_of_small_piece = 100;

class BackgroundCheckpoint : public testing::Test {
 protected:
  [[nodiscard]] system::State own_rows(int residues, std::int64_t step) const {
    return test::select_rows(whole_state(residues, step),
                             [&](int id) { return (id * 7 + 3) % world_.size() == world_.rank(); });
  }
  /// Writes a checkpoint of the step and calls before(stage) before the end of each stage. Returns
  /// the error message on this rank; empty if none.
  [[nodiscard]] std::string write_step_message(std::int64_t step,
                                               const std::function<void(int)>& before) {
    try {
      CheckpointWriter writing(
          world_, path_, make_header(residues_, step), [&] { return own_rows(residues_, step); },
          rows_of_small_piece);
      for (int stage = 0;; ++stage) {
        while (!writing.is_ready()) std::this_thread::yield();
        before(stage);
        if (writing.advance()) return {};
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
  [[nodiscard]] bool is_same_on_all_ranks(const std::string& text) const {
    return !world_.any(world_.broadcast(text) != text);
  }

  Communicator world_ = Communicator::world();
  SharedFolder folder_{world_};
  std::filesystem::path path_ = folder_ / "a.ckpt.h5";
  int residues_ = 3000;
};

// One process writes the reference. Rows change once they are taken, as they do while steps
// continue.
TEST_F(BackgroundCheckpoint, HasTheBytesOfABlockingWrite) {
  for (const int residues : {1, 23, 3000}) {
    const auto header = make_header(residues, 5);
    const auto alone = folder_ / ("alone" + std::to_string(residues));
    if (world_.is_root()) {
      test::write_checkpoint(Communicator(), alone, header, whole_state(residues, 5));
    }
    test::write_checkpoint(world_, folder_ / "waited", header, own_rows(residues, 5));
    auto rows = own_rows(residues, 5);
    CheckpointWriter writing(world_, folder_ / "beside", header, [&] {
      auto taken = rows;
      for (auto& position : rows.position) position = {};
      return taken;
    });
    int stage_count = 0;
    do {
      while (!writing.is_ready()) std::this_thread::yield();
      ++stage_count;
    } while (!writing.advance());
    EXPECT_EQ(stage_count, stages);
    if (!world_.is_root()) continue;
    const auto bytes = test::read_file(alone);
    EXPECT_EQ(test::read_file(folder_ / "waited"), bytes) << residues;
    EXPECT_EQ(test::read_file(folder_ / "beside"), bytes) << residues;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "beside.tmp"));
  }
}

TEST_F(BackgroundCheckpoint, PiecesGiveTheSameBytes) {
  const auto header = make_header(residues_, 5);
  test::write_checkpoint(world_, folder_ / "whole", header, own_rows(residues_, 5));
  for (const std::int64_t rows : {7, 100, 2999}) {
    const auto path = folder_ / ("in pieces of " + std::to_string(rows));
    CheckpointWriter writing(
        world_, path, header, [&] { return own_rows(residues_, 5); }, rows);
    int stage_count = 1;
    while (!writing.advance()) ++stage_count;
    const auto most = (residues_ + world_.size() - 1) / world_.size();
    const auto pieces = (most + rows - 1) / rows;
    EXPECT_EQ(stage_count, stages - 1 + pieces) << rows;
    if (!world_.is_root()) continue;
    EXPECT_EQ(test::read_file(path), test::read_file(folder_ / "whole")) << rows;
  }
}

TEST_F(BackgroundCheckpoint, DuplicateResidueIsAnErrorInAnyPiece) {
  if (world_.size() == 1) GTEST_SKIP() << "a rank's rows are ascending ids";
  for (const int twice : {0, 1500, residues_ - 1}) {
    const auto part = [&] {
      return test::select_rows(whole_state(residues_, 5), [&](int id) {
        const bool is_last_rank = world_.rank() == world_.size() - 1;
        return id == twice ? world_.rank() == 0 || is_last_rank
                           : id % world_.size() == world_.rank();
      });
    };
    try {
      CheckpointWriter(world_, path_, make_header(residues_, 5), part, rows_of_small_piece)
          .finish();
      ADD_FAILURE() << "residue " << twice << " has two owners";
    } catch (const storage::FileError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(twice) + " came from two ranks"));
    }
    EXPECT_FALSE(io::checkpoint_exists(path_));
  }
}

TEST_F(BackgroundCheckpoint, AbandonedWriteKeepsOldFiles) {
  for (const int step : {1, 2}) {
    test::write_checkpoint(world_, path_, make_header(residues_, step), own_rows(residues_, step));
  }
  for (int ended = 0; ended < stages; ++ended) {
    {
      CheckpointWriter writing(world_, path_, make_header(residues_, 3),
                               [&] { return own_rows(residues_, 3); });
      for (int stage = 0; stage < ended; ++stage) EXPECT_FALSE(writing.advance());
      if (ended == stages - 1) break;  // the next stage would rename the file
    }
    world_.barrier();
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.ckpt.h5.tmp"));
    expect_step(path_, 2);
    expect_step(io::previous_checkpoint_path(path_), 1);
  }
}

// A file size limit stands in for a disk that fills up while steps continue: when the last rank
// writes its first rows, or later ones.
TEST_F(BackgroundCheckpoint, FullDiskIsOneErrorAndKeepsOldFiles) {
  storage::ignore_file_size_signal();
  for (const int step : {1, 2}) EXPECT_EQ(write_step_message(step, [](int) {}), "");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{40000, before.rlim_max};
  // Rows are written after the end of stage 0.
  for (const int full_from : {0, 3}) {
    const auto text = write_step_message(3, [&](int stage) {
      const bool is_full = stage == full_from && world_.rank() == world_.size() - 1;
      if (is_full) setrlimit(RLIMIT_FSIZE, &tight);
    });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(is_same_on_all_ranks(text));
    EXPECT_THAT(text, testing::AllOf(testing::HasSubstr("a.ckpt.h5.tmp: cannot "),
                                     testing::HasSubstr("ulimit -f")));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.ckpt.h5.tmp"));
    expect_step(path_, 2);
    expect_step(io::previous_checkpoint_path(path_), 1);
  }
}

TEST_F(BackgroundCheckpoint, FailingSnapshotIsOneError) {
  std::string text;
  try {
    CheckpointWriter writing(world_, path_, make_header(residues_, 1), [&]() -> system::State {
      if (world_.rank() == world_.size() - 1) throw std::runtime_error("no answer of the GPU");
      return own_rows(residues_, 1);
    });
    writing.finish();
  } catch (const storage::FileError& error) {
    text = error.what();
  }
  EXPECT_THAT(text, testing::HasSubstr("no answer of the GPU"));
  EXPECT_TRUE(is_same_on_all_ranks(text));
  EXPECT_FALSE(io::checkpoint_exists(path_));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.ckpt.h5.tmp"));
}

}  // namespace
}  // namespace nfold
