// Atomic files, status files and the journal under HDF5.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/storage/atomic_file.hpp"
#include "core/storage/hdf5_storage.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold {
namespace {

using storage::JournaledStorage;
using test::read_file;
using test::TemporaryFolder;
using test::write_file;
using Mode = storage::PosixFile::Mode;

std::vector<std::byte> bytes(const std::string& text) {
  const auto raw = std::as_bytes(std::span(text.data(), text.size()));
  return {raw.begin(), raw.end()};
}

TEST(AtomicFile, ReplacesFilesWithoutLeftovers) {
  const TemporaryFolder folder;
  storage::write_file_atomically(folder / "a", "one");
  storage::write_file_atomically(folder / "a", "two");
  EXPECT_EQ(read_file(folder / "a"), "two");
  EXPECT_FALSE(std::filesystem::exists(folder / "a.tmp"));
}

TEST(AtomicFile, FailureNamesTheFile) {
  const TemporaryFolder folder;
  try {
    storage::write_file_atomically(folder / "none" / "a", "x");
    FAIL() << "a file in a folder that does not exist";
  } catch (const storage::FileError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("none/a.tmp: cannot create"));
  }
}

// Random writes and reads against a string, over commits and reopenings, with large and small
// buffers.
class BufferSizes : public testing::TestWithParam<std::size_t> {};

TEST_P(BufferSizes, ReadBackWrites) {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  std::string model;
  for (int round = 0; round < 5; ++round) {
    JournaledStorage storage(folder / "f", round == 0 ? Mode::create : Mode::update, GetParam());
    for (int i = 0; i < 40; ++i) {
      const std::size_t offset = random() % 30000;
      const std::string text(random() % 9000, static_cast<char>('a' + random() % 26));
      storage.write(static_cast<std::int64_t>(offset), bytes(text));
      if (model.size() < offset + text.size()) model.resize(offset + text.size(), '\0');
      model.replace(offset, text.size(), text);
      if (random() % 4 == 0) storage.commit(JournaledStorage::Durability::process);
      std::vector<std::byte> all(model.size());
      storage.read(0, all);
      ASSERT_EQ(all, bytes(model));
    }
    storage.resize(static_cast<std::int64_t>(model.size() / 2));
    model.resize(model.size() / 2);
    storage.commit(JournaledStorage::Durability::power);
    ASSERT_EQ(read_file(folder / "f"), model);
  }
}

INSTANTIATE_TEST_SUITE_P(JournaledStorages, BufferSizes, testing::Values(1U << 23U, 8192, 1));

// Growth beyond the buffer goes to the file. Old bytes stay.
TEST(JournaledStorage, WritesGrowthBeforeCommit) {
  const TemporaryFolder folder;
  const std::string old_bytes(10000, 'o');
  std::string model = old_bytes;
  {
    JournaledStorage storage(folder / "f", Mode::create, 16384);
    storage.write(0, bytes(old_bytes));
    storage.commit(JournaledStorage::Durability::process);
    storage.write(5000, bytes("new"));
    for (int n = 0; n < 40; ++n) {
      const std::string piece(3000, static_cast<char>('a' + n % 26));
      storage.write(static_cast<std::int64_t>(model.size()), bytes(piece));
      model += piece;
    }
    const auto before = read_file(folder / "f");
    EXPECT_GT(before.size(), model.size() - std::size_t{2} * 16384);
    EXPECT_EQ(before.substr(0, 10000), old_bytes);
    // No commit, as after a kill.
  }
  model.replace(5000, 3, "new");
  JournaledStorage storage(folder / "f", Mode::update, 16384);
  std::vector<std::byte> start(10000);
  storage.read(0, start);
  EXPECT_EQ(start, bytes(old_bytes));
  storage.resize(10000);
  storage.write(5000, bytes("new"));
  storage.write(10000, bytes(model.substr(10000)));
  storage.commit(JournaledStorage::Durability::process);
  EXPECT_EQ(read_file(folder / "f"), model);
}

TEST(JournaledStorage, FileIsUnchangedBeforeCommit) {
  const TemporaryFolder folder;
  {
    JournaledStorage storage(folder / "f", Mode::create);
    storage.write(0, bytes("old"));
    storage.commit(JournaledStorage::Durability::process);
    storage.write(0, bytes("new"));
  }
  EXPECT_EQ(read_file(folder / "f"), "old");
}

// Emulates kills while the journal is written and while the file is overwritten after it.
TEST(JournaledStorage, RecoversOldOrNewContents) {
  const TemporaryFolder folder;
  const std::string old_bytes(10000, 'o');
  std::string new_bytes = old_bytes + std::string(5000, 'n');
  new_bytes.replace(100, 50, std::string(50, 'N'));
  new_bytes.replace(9000, 50, std::string(50, 'N'));
  JournaledStorage storage(folder / "f", Mode::create);
  storage.write(0, bytes(old_bytes));
  storage.commit(JournaledStorage::Durability::process);
  storage.write(0, bytes(new_bytes));
  storage.prepare(JournaledStorage::Durability::process);
  const auto journal = read_file(folder / "f.journal");
  const auto before_overwriting = read_file(folder / "f");
  storage.apply(JournaledStorage::Durability::process);
  EXPECT_EQ(read_file(folder / "f.journal"), "");
  ASSERT_EQ(before_overwriting, old_bytes + std::string(5000, 'n'));
  ASSERT_GT(journal.size(), 8192U);
  ASSERT_EQ(read_file(folder / "f"), new_bytes);

  for (std::size_t length = 0; length <= journal.size(); length += length < 64 ? 1 : 997) {
    write_file(folder / "g", old_bytes);
    write_file(folder / "g.journal", journal.substr(0, length));
    EXPECT_FALSE(JournaledStorage::recover(folder / "g")) << length;
    EXPECT_EQ(read_file(folder / "g"), old_bytes);
  }
  std::string torn = old_bytes + std::string(5000, 'n');
  torn.replace(100, 50, std::string(50, 'N'));
  for (const auto& left : {before_overwriting, torn, new_bytes}) {  // none, one or both writes
    write_file(folder / "g", left);
    write_file(folder / "g.journal", journal);
    EXPECT_TRUE(JournaledStorage::recover(folder / "g"));
    EXPECT_EQ(read_file(folder / "g"), new_bytes);
    EXPECT_FALSE(JournaledStorage::recover(folder / "g"));
  }

  auto flipped = journal;
  flipped[5000] = static_cast<char>(flipped[5000] ^ 1);
  write_file(folder / "g", torn);
  write_file(folder / "g.journal", flipped);
  EXPECT_FALSE(JournaledStorage::recover(folder / "g"));
}

}  // namespace
}  // namespace nfold
