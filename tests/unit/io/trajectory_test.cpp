// H5MD trajectories: round trip, cuts at a resume, readability while written.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/trajectory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>

#include "core/storage/atomic_file.hpp"
#include "core/storage/hdf5_handles.hpp"
#include "io/file_compare.hpp"
#include "temporary_folder.hpp"
#include "trajectory_fixture.hpp"

namespace nfold {
namespace {

using io::TrajectoryReader;
using io::TrajectoryWriter;
using test::expect_frames;
using test::TemporaryFolder;

void write_frames(TrajectoryWriter& writer, std::int64_t first, std::int64_t last) {
  for (auto frame = first; frame <= last; ++frame) test::append_test_frame(writer, frame);
}

TEST(Trajectory, ReadsBackWrittenFrames) {
  const TemporaryFolder folder;
  const auto description = test::small_description();
  auto writer = TrajectoryWriter::create(folder / "a.h5md", description);
  write_frames(writer, 0, 99);
  EXPECT_EQ(writer.frame_count(), 100);
  writer.close();
  EXPECT_FALSE(std::filesystem::exists(folder / "a.h5md.journal"));
  expect_frames(folder / "a.h5md", 100);
  const TrajectoryReader reader(folder / "a.h5md");
  const auto& found = reader.description();
  EXPECT_EQ(found.residue_names, description.residue_names);
  EXPECT_EQ(found.residue_numbers, description.residue_numbers);
  EXPECT_EQ(found.chain_names, description.chain_names);
  EXPECT_EQ(found.masses_amu, description.masses_amu);
  EXPECT_EQ(found.charges_e, description.charges_e);
  EXPECT_EQ(found.bonds, description.bonds);
  ASSERT_EQ(found.observables.size(), 2U);
  EXPECT_EQ(found.observables[0].name, "potential_energy");
  EXPECT_EQ(found.observables[0].unit, "kJ mol-1");
}

TEST(Trajectory, IsReadableWhileWritten) {
  const TemporaryFolder folder;
  auto writer = TrajectoryWriter::create(folder / "a.h5md", test::small_description());
  write_frames(writer, 0, 9);
  writer.flush();
  expect_frames(folder / "a.h5md", 10);
  write_frames(writer, 10, 19);
  writer.flush();
  expect_frames(folder / "a.h5md", 20);
}

TEST(Trajectory, AppendCutsToCheckpointedStep) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  const auto description = test::small_description();
  auto writer = TrajectoryWriter::create(path, description);
  write_frames(writer, 0, 700);
  writer.close();
  for (const std::int64_t kept : {650, 512, 40, 1}) {
    auto again = TrajectoryWriter::append(path, description, kept * 100 - 1, kept);
    EXPECT_EQ(again.frame_count(), kept);
    write_frames(again, kept, kept + 60);
    again.close();
    expect_frames(path, kept + 61);
  }
}

/// Includes a buffer that is smaller than a frame.
TEST(Trajectory, PiecewiseFramesMatchWholeFrames) {
  const TemporaryFolder folder;
  const auto description = test::small_description();
  auto whole = TrajectoryWriter::create(folder / "whole.h5md", description);
  write_frames(whole, 0, 30);
  whole.close();
  for (const std::size_t bytes_in_memory :
       {TrajectoryWriter::usual_bytes_in_memory, std::size_t{1}}) {
    const auto path = folder / "pieces.h5md";
    const auto write = [](TrajectoryWriter& writer, std::int64_t first, std::int64_t last) {
      for (auto frame = first; frame <= last; ++frame) {
        const auto x_nm = test::frame_positions(frame);
        const std::span positions(x_nm);
        writer.begin_frame(100 * frame, 0.5 * static_cast<double>(frame));
        writer.add_positions(positions.first(3));
        writer.add_positions({});
        writer.add_positions(positions.subspan(3));
        writer.end_frame(test::frame_observables(frame));
      }
    };
    auto writer = TrajectoryWriter::create(path, description, bytes_in_memory);
    write(writer, 0, 20);
    writer.close();
    auto again = TrajectoryWriter::append(path, description, 1000, 11, bytes_in_memory);
    write(again, 11, 30);
    EXPECT_THROW(again.begin_frame(3000, 1), std::invalid_argument);
    again.begin_frame(3100, 1);
    const auto last = test::frame_positions(31);
    again.add_positions(std::span(last).first(6));
    EXPECT_THROW(again.end_frame(test::frame_observables(31)), std::invalid_argument);
    EXPECT_THROW(again.add_positions(last), std::invalid_argument);
    again.add_positions(std::span(last).last(1));
    again.end_frame(test::frame_observables(31));
    EXPECT_EQ(again.frame_count(), 32);
    again.close();
    auto cut = TrajectoryWriter::append(path, description, 3000, 31, bytes_in_memory);
    cut.close();
    EXPECT_EQ(io::compare_files(path, folder / "whole.h5md"), std::vector<std::string>());
  }
}

TEST(Trajectory, AppendRefusesOtherSystemsAndGaps) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  auto description = test::small_description();
  {
    auto writer = TrajectoryWriter::create(path, description);
    write_frames(writer, 0, 4);
    writer.close();
  }
  EXPECT_THROW((void)TrajectoryWriter::append(path, description, 400, 6), storage::FileError);
  EXPECT_THROW((void)TrajectoryWriter::append(path, test::small_description(8), 400),
               storage::FileError);
  description.residue_names[3] = "PHE";
  EXPECT_THROW((void)TrajectoryWriter::append(path, description, 400), storage::FileError);
  description = test::small_description();
  description.observables.pop_back();
  EXPECT_THROW((void)TrajectoryWriter::append(path, description, 400), storage::FileError);
  description = test::small_description();
  description.velocities = true;
  EXPECT_THROW((void)TrajectoryWriter::append(path, description, 400), storage::FileError);
  description = test::small_description();
  description.box_nm = {9, 9, 9};
  EXPECT_THROW((void)TrajectoryWriter::append(path, description, 400), storage::FileError);
  expect_frames(path, 5);
  auto writer = TrajectoryWriter::append(path, test::small_description(), 400);
  EXPECT_THROW(test::append_test_frame(writer, 4), std::invalid_argument);  // step repeated
  EXPECT_THROW(test::append_test_frame(writer, 5, 6), std::invalid_argument);
}

TEST(Trajectory, RefusesFilesOtherThanHdf5) {
  const TemporaryFolder folder;
  test::write_file(folder / "a.h5md", std::string(5000, 'x'));
  EXPECT_THROW(TrajectoryReader(folder / "a.h5md"), storage::FileError);
  EXPECT_THROW((void)TrajectoryWriter::append(folder / "a.h5md", test::small_description(), 0),
               storage::FileError);
}

std::string reading_error(const std::filesystem::path& path) {
  try {
    const TrajectoryReader reader(path);
  } catch (const storage::FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Trajectory, ErrorsNameCauseAndRemedy) {
  using testing::HasSubstr;
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  auto writer = TrajectoryWriter::create(path, test::small_description());
  write_frames(writer, 0, 99);
  writer.close();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THAT(reading_error(path), HasSubstr("a.h5md: the file is cut off: "));
  EXPECT_THAT(reading_error(path), HasSubstr("copy it again"));
  EXPECT_THAT(reading_error(path), testing::Not(HasSubstr("eof")));
  try {
    (void)TrajectoryWriter::append(path, test::small_description(), 400);
    FAIL() << "no exception";
  } catch (const storage::FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("start.checkpoint"));
  }
  test::write_file(path, "");
  EXPECT_THAT(reading_error(path), HasSubstr("a.h5md: the file is empty"));
  test::write_file(path, std::string(5000, 'x'));
  EXPECT_THAT(reading_error(path), HasSubstr("a.h5md: this is no HDF5 file"));
  EXPECT_THAT(reading_error(path.parent_path()), HasSubstr("is a folder (give the trajectory"));
}

/// Replaces a dataset by one of the given extent without values.
void replace_dataset(const std::filesystem::path& path, const char* name, hid_t type,
                     const std::vector<hsize_t>& extent, const char* values_in = nullptr) {
  const storage::Hdf5Id file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "test", "open");
  const storage::Hdf5Id settings(H5Pcreate(H5P_DATASET_CREATE), "test", "make settings");
  hsize_t bytes = H5Tget_size(type);
  for (const auto n : extent) bytes *= n;
  if (values_in != nullptr) H5Pset_external(settings, values_in, 0, bytes);
  H5Ldelete(file, name, H5P_DEFAULT);
  const storage::Hdf5Id space(
      H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr), "test", "make");
  const storage::Hdf5Id dataset(
      H5Dcreate2(file, name, type, space, H5P_DEFAULT, settings, H5P_DEFAULT), "test", "make");
}

TEST(Trajectory, RefusesWrongExtents) {
  using testing::HasSubstr;
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  const auto damaged = [&](const char* name, hid_t type, const std::vector<hsize_t>& extent) {
    auto writer = TrajectoryWriter::create(path, test::small_description());
    write_frames(writer, 0, 3);
    writer.close();
    replace_dataset(path, name, type, extent);
    EXPECT_THROW((void)TrajectoryWriter::append(path, test::small_description(), 400),
                 storage::FileError)
        << name;
    return reading_error(path);
  };
  const std::string particles = "/particles/trajectory/";
  EXPECT_THAT(damaged("/parameters/residues/number", H5T_NATIVE_INT32, {3}), HasSubstr("claims"));
  EXPECT_THAT(damaged((particles + "position/value").c_str(), H5T_NATIVE_FLOAT, {4, 9, 3}),
              HasSubstr("position/value has the extent (4, 9, 3) instead of (4, 7, 3)"));
  EXPECT_THAT(damaged((particles + "position/time").c_str(), H5T_NATIVE_DOUBLE, {5}),
              HasSubstr("position/time has the extent (5) instead of (4)"));
  EXPECT_THAT(damaged("/observables/temperature/value", H5T_NATIVE_DOUBLE, {2, 2}),
              HasSubstr("temperature/value has the extent (2, 2) instead of (4)"));
  EXPECT_THAT(damaged((particles + "mass").c_str(), H5T_NATIVE_DOUBLE, {0}),
              HasSubstr("mass has 0 values for 7 residues"));
}

TEST(Trajectory, RefusesExternalValues) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md", other = folder / "other";
  auto writer = TrajectoryWriter::create(path, test::small_description());
  write_frames(writer, 0, 3);
  writer.close();
  test::write_file(other, std::string(400, 'x'));
  replace_dataset(path, "/particles/trajectory/position/value", H5T_NATIVE_FLOAT, {4, 7, 3},
                  other.c_str());
  EXPECT_THAT(reading_error(path), testing::HasSubstr("lie in another file"));
  EXPECT_THROW((void)TrajectoryWriter::append(path, test::small_description(), 400),
               storage::FileError);
  EXPECT_EQ(test::read_file(other), std::string(400, 'x'));
}

TEST(Trajectory, RefusesSymbolicLinks) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md", other = folder / "other";
  test::write_file(other, "x");
  std::filesystem::create_symlink(other, path);
  EXPECT_THROW((void)TrajectoryWriter::create(path, test::small_description()), storage::FileError);
  EXPECT_EQ(test::read_file(other), "x");
}

// A limit on file sizes emulates a full disk. Committed frames stay readable, and all frames are
// written once there is space. The writer also commits every second, which on a busy machine may
// happen between any two frames.
TEST(Trajectory, FullDiskKeepsLastCommit) {
  const TemporaryFolder folder;
  const auto path = folder / "a.h5md";
  storage::ignore_file_size_signal();
  auto writer = TrajectoryWriter::create(path, test::small_description());
  write_frames(writer, 0, 9);
  writer.flush();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit tight{std::filesystem::file_size(path) + 1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  for (std::int64_t frame = 10; frame <= 4000; ++frame) {
    try {
      test::append_test_frame(writer, frame);
    } catch (const storage::FileError&) {  // the frame is kept for the next commit
    }
    ASSERT_EQ(writer.frame_count(), frame + 1);
  }
  const auto committed = TrajectoryReader(path).frame_count();
  EXPECT_LT(committed, 4001);
  EXPECT_THROW(writer.flush(), storage::FileError);
  EXPECT_THROW(writer.flush(), storage::FileError);
  expect_frames(path, committed);
  setrlimit(RLIMIT_FSIZE, &before);
  writer.flush();
  expect_frames(path, 4001);
}

}  // namespace
}  // namespace nfold
