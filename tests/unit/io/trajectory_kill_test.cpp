// Trajectory files after kill -9: committed frames stay and files open.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <hdf5.h>

#include <algorithm>
#include <optional>
#include <random>

#include "io/trajectory.hpp"
#include "killed_child.hpp"
#include "temporary_folder.hpp"
#include "trajectory_fixture.hpp"

namespace nfold {
namespace {

using io::TrajectoryWriter;
using test::expect_frames;
using test::TemporaryFolder;

// Number of rows that plain HDF5 reads, as h5py does. -1 if it cannot open the file.
std::int64_t rows_seen_by_plain_hdf5(const std::filesystem::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (file < 0) return -1;
  const hid_t dataset = H5Dopen2(file, "/particles/trajectory/position/value", H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  hsize_t extent[3] = {0, 0, 0};
  H5Sget_simple_extent_dims(space, extent, nullptr);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return static_cast<std::int64_t>(extent[0]);
}

TEST(TrajectoryKill, KillsLoseNoCommittedFrame) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  std::mt19937 random(7);
  std::int64_t frames = 0;
  for (int kill_number = 0; kill_number < 50; ++kill_number) {
    std::optional<TrajectoryWriter> writer;
    const auto write_a_frame = [&](int round) {
      if (round == 0) {
        writer = frames == 0 ? TrajectoryWriter::create(path, test::small_description())
                             : TrajectoryWriter::append(path, test::small_description(),
                                                        (frames - 1) * 100, frames);
        return;
      }
      test::append_test_frame(*writer, frames + round - 1);
      writer->flush();
    };
    // Every fourth kill may come while the file is opened.
    const int rounds = kill_number % 4 == 3 ? 0 : 2 + static_cast<int>(random() % 5);
    test::kill_at_work(write_a_frame, rounds, random() % 2000);
    {
      auto resumed = TrajectoryWriter::append(path, test::small_description(), 1 << 30);
      const auto committed = resumed.frame_count();
      ASSERT_GE(committed, frames + std::max(rounds - 1, 0));
      frames = committed;
      resumed.close();
    }
    ASSERT_EQ(rows_seen_by_plain_hdf5(path), frames);
    // Emulates a resume from an older checkpoint.
    frames -= static_cast<std::int64_t>(random() % 3);
  }
  EXPECT_GE(frames, 30);
  TrajectoryWriter::append(path, test::small_description(), (frames - 1) * 100).close();
  expect_frames(path, frames);
}

}  // namespace
}  // namespace nfold
