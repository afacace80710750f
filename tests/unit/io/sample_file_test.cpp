// Samples of an ensemble: rows appended, cut, read back, and files that are not theirs.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/sample_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <string>

#include "temporary_folder.hpp"

namespace nfold::io {
namespace {

SampleRow row_of(std::int64_t step, int replicas, int screenings = 0) {
  SampleRow row;
  row.step = step;
  for (int r = 0; r < replicas; ++r) {
    row.replica.push_back({0.5 * r - double(step), -0.25 * r, 0.125 * r, 1.5 * r, r, r % 2});
    for (int k = 0; k < screenings; ++k) row.screened.push_back(r + 0.01 * k);
  }
  return row;
}

TEST(SampleFile, GivesBackWhatItWasGiven) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  {
    SampleFile file(path, {3}, 0);
    for (int k = 0; k < 5; ++k) file.append(row_of(std::int64_t{100} * k, 3));
    file.sync();
    EXPECT_THROW(file.append(row_of(1, 2)), std::invalid_argument);
    EXPECT_THROW(file.append(row_of(1, 3, 1)), std::invalid_argument);
  }
  SampleFile file(path, {3}, 2);  // a checkpoint after two of them
  EXPECT_EQ(file.rows(), 2);
  file.append(row_of(777, 3));
  EXPECT_EQ(file.row(1).step, 100);
  EXPECT_EQ(file.row(2).step, 777);
  EXPECT_EQ(file.row(2).replica[1].potential_kj_mol, 0.5 - 777);
  EXPECT_EQ(file.row(2).replica[2].formed_contacts, 2);
  EXPECT_EQ(file.row(2).replica[1].state, 1);
  EXPECT_THROW((void)file.row(3), std::out_of_range);
}

TEST(SampleFile, KeepsScreenedEnergies) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  const SampleFile::Extent extent{3, 4};
  {
    SampleFile file(path, extent, 0);
    for (int k = 0; k < 3; ++k) file.append(row_of(std::int64_t{100} * k, 3, 4));
  }
  const SampleFile file(path, extent, 3);
  EXPECT_EQ(file.row(1).screened, row_of(100, 3, 4).screened);
  EXPECT_EQ(file.row(2).replica[2].radius_of_gyration_nm, 3);
  EXPECT_EQ(std::int64_t(std::filesystem::file_size(path)), 32 + SampleFile::bytes(3, extent));
}

TEST(SampleFile, RefusesAnothersFile) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  { SampleFile(path, {3}, 0).append(row_of(0, 3)); }
  EXPECT_THROW(SampleFile(path, {4}, 1), storage::FileError);
  EXPECT_THROW(SampleFile(path, {3, 2}, 1), storage::FileError);
  EXPECT_THROW(SampleFile(path, {3}, 2), storage::FileError);
  EXPECT_THROW(SampleFile(folder.path() / "none", {3}, 1), storage::FileError);
}

/// Any changed bit of any row, in its numbers or in its checksum.
TEST(SampleFile, RefusesEveryFlippedBit) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  const SampleFile::Extent extent{2, 1};
  {
    SampleFile file(path, extent, 0);
    for (int k = 0; k < 3; ++k) file.append(row_of(std::int64_t{100} * k, 2, 1));
  }
  const auto flip = [&](std::int64_t bit) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(bit / 8);
    const auto byte = static_cast<char>(file.get() ^ (1 << (bit % 8)));
    file.seekp(bit / 8);
    file.put(byte);
  };
  const auto bits = 8 * static_cast<std::int64_t>(std::filesystem::file_size(path));
  for (std::int64_t bit = 0; bit < bits; bit += 7) {
    flip(bit);
    EXPECT_THROW(SampleFile(path, extent, 3), storage::FileError) << bit;
    flip(bit);
  }
  EXPECT_EQ(SampleFile(path, extent, 3).row(2).step, 200);
}

/// Rows that changed places are not what was written either.
TEST(SampleFile, RefusesRowsThatChangedPlaces) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  {
    SampleFile file(path, {3}, 0);
    for (int k = 0; k < 2; ++k) file.append(row_of(std::int64_t{100} * k, 3));
  }
  const auto size = static_cast<std::size_t>(SampleFile::bytes(1, {3}));
  std::string bytes(32 + 2 * size, '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), std::ssize(bytes));
  std::swap_ranges(bytes.begin() + 32, bytes.begin() + 32 + std::ptrdiff_t(size),
                   bytes.begin() + 32 + std::ptrdiff_t(size));
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(SampleFile(path, {3}, 2), storage::FileError);
}

/// Files without checksums are read and continued as they are.
TEST(SampleFile, ContinuesAFileWithoutChecksums) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  {
    const std::array<char, 16> magic{"nfold-samples-3"};
    const std::array<std::int64_t, 2> extent{3, 0};
    const auto row = row_of(100, 3);
    std::ofstream file(path, std::ios::binary);
    file.write(magic.data(), sizeof(magic));
    file.write(reinterpret_cast<const char*>(extent.data()), sizeof(extent));
    file.write(reinterpret_cast<const char*>(&row.step), sizeof(row.step));
    file.write(reinterpret_cast<const char*>(row.replica.data()), 3 * sizeof(ReplicaSample));
  }
  { SampleFile(path, {3}, 1).append(row_of(200, 3)); }
  const SampleFile file(path, {3}, 2);
  EXPECT_EQ(file.row(0).replica[2].potential_kj_mol, row_of(100, 3).replica[2].potential_kj_mol);
  EXPECT_EQ(file.row(1).step, 200);
}

}  // namespace
}  // namespace nfold::io
