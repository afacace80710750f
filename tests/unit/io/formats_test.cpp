// DCD, PSF and PDB files: frame counts, unit cells, wide numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "io/dcd.hpp"
#include "io/structure_files.hpp"
#include "temporary_folder.hpp"
#include "trajectory_fixture.hpp"

namespace nfold {
namespace {

using io::DcdWriter;
using test::read_file;
using test::TemporaryFolder;

constexpr std::size_t header_bytes = 196, frame_bytes = std::size_t{3} * (8 + 4 * 7);

template <class T>
T value_at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

void append_frame(DcdWriter& dcd, int frame) {
  std::vector<std::array<float, 3>> x;
  for (const auto& row : test::frame_positions(frame)) {
    x.push_back(
        {static_cast<float>(row[0]), static_cast<float>(row[1]), static_cast<float>(row[2])});
  }
  dcd.append_frame(x);
}

TEST(Dcd, HeaderMatchesEveryFrame) {
  const TemporaryFolder folder;
  DcdWriter dcd(folder / "a.dcd", 7,
                {.first_step = 500, .steps_per_frame = 100, .time_step_ps = 0.005});
  for (int frame = 0; frame < 3; ++frame) {
    append_frame(dcd, frame);
    const auto bytes = read_file(folder / "a.dcd");
    ASSERT_EQ(bytes.size(), header_bytes + static_cast<std::size_t>(frame + 1) * frame_bytes);
    EXPECT_EQ(value_at<std::int32_t>(bytes, 8), frame + 1);
    EXPECT_EQ(value_at<std::int32_t>(bytes, 12), 500);
    EXPECT_EQ(value_at<std::int32_t>(bytes, 16), 100);
    EXPECT_NEAR(value_at<float>(bytes, 44) * 0.04888821, 0.005, 1e-9);
  }
}

TEST(Dcd, FramesInABoxHoldUnitCell) {
  const TemporaryFolder folder;
  const auto path = folder / "a.dcd";
  const std::array<double, 3> box_nm{4, 5, 12.5};
  DcdWriter dcd(path, 7, {}, box_nm);
  for (int frame = 0; frame < 3; ++frame) append_frame(dcd, frame);
  const auto bytes = read_file(path);
  ASSERT_EQ(bytes.size(), header_bytes + 3 * (frame_bytes + 56));
  EXPECT_EQ(value_at<std::int32_t>(bytes, 48), 1);
  const std::array<double, 6> cell{40, 90, 50, 90, 90, 125};
  const std::size_t second = header_bytes + frame_bytes + 56;
  EXPECT_EQ(value_at<std::int32_t>(bytes, second), 48);
  EXPECT_EQ((value_at<std::array<double, 6>>(bytes, second + 4)), cell);
}

// Steps beyond 32 bits are stored in units of the interval, which keeps times right.
TEST(Dcd, StoresStepsBeyond32Bits) {
  const TemporaryFolder folder;
  const DcdWriter dcd(
      folder / "a.dcd", 7,
      {.first_step = 40'000'000'000, .steps_per_frame = 1'000'000, .time_step_ps = 0.01});
  const auto bytes = read_file(folder / "a.dcd");
  EXPECT_EQ(value_at<std::int32_t>(bytes, 12), 40'000);
  EXPECT_EQ(value_at<std::int32_t>(bytes, 16), 1);
  EXPECT_NEAR(value_at<float>(bytes, 44) * 0.04888821, 10'000, 0.01);
}

// Values from the definition of hybrid-36 (first and last of each range).
TEST(Hybrid36, MatchesDefinition) {
  EXPECT_EQ(io::hybrid_36(9999, 4), "9999");
  EXPECT_EQ(io::hybrid_36(-999, 4), "-999");
  EXPECT_EQ(io::hybrid_36(10000, 4), "A000");
  EXPECT_EQ(io::hybrid_36(10000 + 26 * 46656 - 1, 4), "ZZZZ");
  EXPECT_EQ(io::hybrid_36(10000 + 26 * 46656, 4), "a000");
  EXPECT_EQ(io::hybrid_36(10000 + 2 * 26 * 46656 - 1, 4), "zzzz");
  EXPECT_EQ(io::hybrid_36(10000 + 2 * 26 * 46656, 4), "****");
  EXPECT_EQ(io::hybrid_36(100000, 5), "A0000");
}

TEST(Pdb, RefusesWideCoordinates) {
  const TemporaryFolder folder;
  const auto description = test::small_description(1);
  const std::vector<std::array<float, 3>> far = {{1e4F, 0, 0}};
  EXPECT_THROW(io::write_pdb(folder / "a.pdb", description, far), storage::FileError);
  EXPECT_FALSE(std::filesystem::exists(folder / "a.pdb"));
  const std::vector<std::array<float, 3>> near = {{-12.3456F, 0, 999.9F}};
  io::write_pdb(folder / "a.pdb", description, near);
  EXPECT_THAT(read_file(folder / "a.pdb"),
              testing::HasSubstr("ATOM      1  CA  MET A  10    -123.456   0.0009999.000  1.00"));
}

TEST(Psf, ColumnsMatchExtendedFormat) {
  const TemporaryFolder folder;
  io::write_psf(folder / "a.psf", test::small_description(2));
  EXPECT_THAT(
      read_file(folder / "a.psf"),
      testing::HasSubstr("         2 A        11       ALA      CA       CA           0.000000"
                         "      2.000000       0\n"));
}

}  // namespace
}  // namespace nfold
