// H5MD: what is written is read back, cut at a resume, readable while written, whole after kills.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/trajectory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "io/atomic_file.hpp"
#include "temporary_folder.hpp"
#include "trajectory_fixture.hpp"

namespace nfold {
namespace {

using io::TrajectoryReader;
using io::TrajectoryWriter;
using test::TemporaryFolder;

void write_frames(TrajectoryWriter& writer, std::int64_t first, std::int64_t last) {
  for (auto frame = first; frame <= last; ++frame) test::append_test_frame(writer, frame);
}

void expect_frames(const std::filesystem::path& path, std::int64_t count) {
  const TrajectoryReader reader(path);
  ASSERT_EQ(reader.frame_count(), count);
  for (std::int64_t frame = 0; frame < count; ++frame) {
    EXPECT_EQ(reader.steps()[static_cast<std::size_t>(frame)], frame * 100);
    EXPECT_EQ(reader.times_ps()[static_cast<std::size_t>(frame)], static_cast<double>(frame) * 0.5);
    const auto found = reader.positions_nm(frame);
    const auto expected = test::frame_positions(frame);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(found[i][d], expected[i][d]) << frame;
    }
  }
}

TEST(Trajectory, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  const auto who = test::small_description();
  auto writer = TrajectoryWriter::create(folder / "a.h5md", who);
  write_frames(writer, 0, 99);
  EXPECT_EQ(writer.frame_count(), 100);
  writer.close();
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5md.journal"));
  expect_frames(folder / "a.h5md", 100);
  const TrajectoryReader reader(folder / "a.h5md");
  const auto& found = reader.description();
  EXPECT_EQ(found.residue_names, who.residue_names);
  EXPECT_EQ(found.residue_numbers, who.residue_numbers);
  EXPECT_EQ(found.chain_names, who.chain_names);
  EXPECT_EQ(found.masses_amu, who.masses_amu);
  EXPECT_EQ(found.charges_e, who.charges_e);
  EXPECT_EQ(found.bonds, who.bonds);
  ASSERT_EQ(found.observables.size(), 2U);
  EXPECT_EQ(found.observables[0].name, "potential_energy");
  EXPECT_EQ(found.observables[0].unit, "kJ mol-1");
}

TEST(Trajectory, CanBeReadWhileItIsWritten) {
  const TemporaryFolder folder;
  auto writer = TrajectoryWriter::create(folder / "a.h5md", test::small_description());
  write_frames(writer, 0, 9);
  writer.flush();
  expect_frames(folder / "a.h5md", 10);
  write_frames(writer, 10, 19);
  writer.flush();
  expect_frames(folder / "a.h5md", 20);
}

TEST(Trajectory, AppendCutsToTheCheckpointedStep) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  const auto who = test::small_description();
  auto writer = TrajectoryWriter::create(path, who);
  write_frames(writer, 0, 700);
  writer.close();
  for (const std::int64_t kept : {650, 512, 40, 1}) {
    auto again = TrajectoryWriter::append(path, who, kept * 100 - 1, kept);
    EXPECT_EQ(again.frame_count(), kept);
    write_frames(again, kept, kept + 60);
    again.close();
    expect_frames(path, kept + 61);
  }
}

TEST(Trajectory, AppendRefusesAnotherSystemAndAGap) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  auto who = test::small_description();
  {
    auto writer = TrajectoryWriter::create(path, who);
    write_frames(writer, 0, 4);
    writer.close();
  }
  EXPECT_THROW((void)TrajectoryWriter::append(path, who, 400, 6), io::FileError);
  EXPECT_THROW((void)TrajectoryWriter::append(path, test::small_description(8), 400),
               io::FileError);
  who.residue_names[3] = "PHE";
  EXPECT_THROW((void)TrajectoryWriter::append(path, who, 400), io::FileError);
  who = test::small_description();
  who.observables.pop_back();
  EXPECT_THROW((void)TrajectoryWriter::append(path, who, 400), io::FileError);
  who = test::small_description();
  who.velocities = true;
  EXPECT_THROW((void)TrajectoryWriter::append(path, who, 400), io::FileError);
  expect_frames(path, 5);
  auto writer = TrajectoryWriter::append(path, test::small_description(), 400);
  EXPECT_THROW(test::append_test_frame(writer, 4), std::invalid_argument);  // step repeated
  EXPECT_THROW(test::append_test_frame(writer, 5, 6), std::invalid_argument);
}

TEST(Trajectory, NotAnHdf5FileIsAnError) {
  const TemporaryFolder folder;
  test::write_file(folder / "a.h5md", std::string(5000, 'x'));
  EXPECT_THROW(TrajectoryReader(folder / "a.h5md"), io::FileError);
  EXPECT_THROW((void)TrajectoryWriter::append(folder / "a.h5md", test::small_description(), 0),
               io::FileError);
}

// No room (a limit on file sizes stands in for a full disk): the error names the file, what was
// there stays readable, and once there is room nothing is missing.
TEST(Trajectory, NoRoomLeavesTheLastCommit) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  io::turn_file_size_signal_into_error();
  auto writer = TrajectoryWriter::create(path, test::small_description());
  write_frames(writer, 0, 9);
  writer.flush();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{std::filesystem::file_size(path) + 1000, before.rlim_max};
  write_frames(writer, 10, 4000);
  setrlimit(RLIMIT_FSIZE, &tight);
  EXPECT_THROW(writer.flush(), io::FileError);
  EXPECT_THROW(writer.flush(), io::FileError);
  expect_frames(path, 10);
  setrlimit(RLIMIT_FSIZE, &before);
  writer.flush();
  expect_frames(path, 4001);
}

// A plain reader, as h5py is one: the number of rows, -1 if HDF5 cannot open the file.
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

// Writes and commits frame after frame until killed; never returns.
[[noreturn]] void write_until_killed(const std::filesystem::path& path, std::int64_t first) {
  auto writer = first == 0 ? TrajectoryWriter::create(path, test::small_description())
                           : TrajectoryWriter::append(path, test::small_description(),
                                                      (first - 1) * 100, first);
  for (auto frame = first;; ++frame) {
    test::append_test_frame(writer, frame);
    writer.flush();
  }
}

TEST(Trajectory, FiftyKillsLoseNothingCommitted) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  std::mt19937 random(7);
  std::int64_t frames = 0;
  for (int kill_number = 0; kill_number < 50; ++kill_number) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_until_killed(path, frames);
    usleep(2000 + random() % 8000);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (!std::filesystem::exists(path) || rows_seen_by_plain_hdf5(path) < 1) {
      if (frames == 0) continue;  // killed before the first frame
    }
    {
      auto writer = TrajectoryWriter::append(path, test::small_description(), 1 << 30);
      ASSERT_GE(writer.frame_count(), frames);
      frames = writer.frame_count();
      writer.close();
    }
    ASSERT_EQ(rows_seen_by_plain_hdf5(path), frames);
    // As after a resume from an older checkpoint.
    frames -= std::min<std::int64_t>(frames, static_cast<std::int64_t>(random() % 3));
  }
  EXPECT_GT(frames, 50);
  auto writer = TrajectoryWriter::append(path, test::small_description(), (frames - 1) * 100);
  writer.close();
  expect_frames(path, frames);
}

}  // namespace
}  // namespace nfold
