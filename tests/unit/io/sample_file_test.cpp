// Sample file of an ensemble: append, cut, read, and refusal of foreign files.
// SPDX-License-Identifier: BSD-3-Clause
#include "io/sample_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "temporary_folder.hpp"

namespace nfold::io {
namespace {

SampleRow make_row(std::int64_t step, int replicas, int screenings = 0, int species = 1) {
  SampleRow row;
  row.step = step;
  for (int r = 0; r < replicas; ++r) {
    row.replica.push_back({0.5 * r - double(step), -0.25 * r, 0.125 * r, r, r % 2});
    for (int s = 0; s < species; ++s) row.quantities.push_back(1.5 * r + s);
    for (int k = 0; k < screenings; ++k) row.screened.push_back(r + 0.01 * k);
  }
  return row;
}

/// Writes rows at the beginning of a file.
void write_rows(const std::filesystem::path& path, const SampleFile::Extent& extent, int rows) {
  SampleFile file(path, extent, 0);
  for (int k = 0; k < rows; ++k) {
    file.append(make_row(std::int64_t{100} * k, static_cast<int>(extent.replicas),
                         static_cast<int>(extent.screenings), static_cast<int>(extent.columns)));
  }
}

TEST(SampleFile, ReadsBackAppendedRows) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  {
    SampleFile file(path, {3}, 0);
    for (int k = 0; k < 5; ++k) file.append(make_row(std::int64_t{100} * k, 3));
    file.sync();
    EXPECT_THROW(file.append(make_row(1, 2)), std::invalid_argument);
    EXPECT_THROW(file.append(make_row(1, 3, 1)), std::invalid_argument);
    EXPECT_THROW(file.append(make_row(1, 3, 0, 2)), std::invalid_argument);
  }
  SampleFile file(path, {3}, 2);  // a checkpoint after two of them
  EXPECT_EQ(file.rows(), 2);
  file.append(make_row(777, 3));
  EXPECT_EQ(file.row(1).step, 100);
  EXPECT_EQ(file.row(2).step, 777);
  EXPECT_EQ(file.row(2).replica[1].potential_kj_mol, 0.5 - 777);
  EXPECT_EQ(file.row(2).replica[2].formed_contacts, 2);
  EXPECT_EQ(file.row(2).replica[1].state, 1);
  EXPECT_THROW((void)file.row(3), std::out_of_range);
}

TEST(SampleFile, KeepsScreenedEnergiesAndRadii) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  const SampleFile::Extent extent{3, 4, 2};
  write_rows(path, extent, 3);
  const SampleFile file(path, extent, 3);
  EXPECT_EQ(file.row(1).screened, make_row(100, 3, 4).screened);
  EXPECT_EQ(file.row(2).quantities, make_row(200, 3, 4, 2).quantities);
  EXPECT_EQ(std::int64_t(std::filesystem::file_size(path)), 40 + SampleFile::bytes(3, extent));
}

TEST(SampleFile, RefusesFilesOfOtherExtents) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  { SampleFile(path, {3}, 0).append(make_row(0, 3)); }
  EXPECT_THROW(SampleFile(path, {4}, 1), storage::FileError);
  EXPECT_THROW(SampleFile(path, {3, 2}, 1), storage::FileError);
  EXPECT_THROW(SampleFile(path, {3, 0, 2}, 1), storage::FileError);
  EXPECT_THROW(SampleFile(path, {3}, 2), storage::FileError);
  EXPECT_THROW(SampleFile(folder.path() / "none", {3}, 1), storage::FileError);
}

std::string read_bytes(const std::filesystem::path& path) {
  std::string bytes(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), std::ssize(bytes));
  return bytes;
}

/// Message of the error that opening the file throws. Empty if it opens.
std::string open_error(const std::filesystem::path& path, const SampleFile::Extent& extent,
                       std::int64_t rows) {
  try {
    const SampleFile file(path, extent, rows);
  } catch (const storage::FileError& error) {
    return error.what();
  }
  return {};
}

/// Flips each bit of the header, the rows and their checksums.
TEST(SampleFile, RefusesEveryFlippedBit) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  const SampleFile::Extent extent{1, 1, 2};
  write_rows(path, extent, 2);
  const auto whole = read_bytes(path);
  ASSERT_EQ(open_error(path, extent, 2), "");
  const auto row_size = static_cast<std::size_t>(SampleFile::bytes(1, extent));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = whole;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ (1U << bit));
      std::ofstream(path, std::ios::binary) << changed;
      const auto refusal = open_error(path, extent, 2);
      ASSERT_THAT(refusal, testing::HasSubstr("start anew by --overwrite")) << at << ", " << bit;
      ASSERT_THAT(refusal, testing::HasSubstr(path.string())) << at << ", " << bit;
      if (at < 40) continue;
      const auto row = std::to_string((at - 40) / row_size);
      ASSERT_THAT(refusal, testing::HasSubstr("sample " + row + " does not match its checksum"));
    }
  }
}

/// Each read of a row of an open file verifies its checksum.
TEST(SampleFile, RefusesRowsChangedAfterOpening) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  SampleFile file(path, {3}, 0);
  for (int k = 0; k < 2; ++k) file.append(make_row(std::int64_t{100} * k, 3));
  std::fstream(path, std::ios::binary | std::ios::in | std::ios::out).seekp(44).put('x');
  EXPECT_THROW((void)file.row(0), storage::FileError);
  EXPECT_EQ(file.row(1).step, 100);
}

TEST(SampleFile, RefusesSwappedRows) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a.samples";
  {
    SampleFile file(path, {3}, 0);
    for (int k = 0; k < 2; ++k) file.append(make_row(std::int64_t{100} * k, 3));
  }
  auto bytes = read_bytes(path);
  const auto second = bytes.begin() + 40 + SampleFile::bytes(1, {3});
  std::swap_ranges(bytes.begin() + 40, second, second);
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_THROW(SampleFile(path, {3}, 2), storage::FileError);
}

}  // namespace
}  // namespace nfold::io
