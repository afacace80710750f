// Interface for HDF5's file access that keeps I/O errors out of the HDF5 library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/storage/posix_file.hpp"

namespace nfold::storage {

/// Backing store of an HDF5 file. HDF5 cannot recover from a failed write of its metadata (closing
/// fails, objects stay open), so write() and resize() never fail: errors are reported afterwards.
class Hdf5Storage {
 public:
  virtual ~Hdf5Storage() = default;
  /// Fills bytes beyond the end with zeros. May throw FileError.
  virtual void read(std::int64_t offset, std::span<std::byte> to) = 0;
  virtual void write(std::int64_t offset, std::span<const std::byte> from) noexcept = 0;
  virtual void resize(std::int64_t size) noexcept = 0;
  [[nodiscard]] virtual std::int64_t size() const = 0;
};

/// Writes at once and keeps the first error. For files that are renamed when complete, and for
/// reading (without HDF5's file locks, which some network file systems refuse).
class DirectStorage : public Hdf5Storage {
 public:
  /// Mode::create keeps the space already reserved in `file`.
  DirectStorage(PosixFile& file, PosixFile::Mode mode);
  void read(std::int64_t offset, std::span<std::byte> to) override;
  void write(std::int64_t offset, std::span<const std::byte> from) noexcept override;
  void resize(std::int64_t size) noexcept override;
  [[nodiscard]] std::int64_t size() const override { return size_; }
  /// Throws the first error, if any.
  void check() const;

 private:
  template <class Change>
  void keep_error(const Change& change) noexcept;

  PosixFile& file_;
  std::int64_t size_ = 0;
  std::exception_ptr error_;
};

/// Collects writes in memory until commit(), which writes all of them to the file or, after a kill
/// at any moment, none: overwritten bytes first go to FILE.journal (write-ahead), new ones beyond
/// the old end, some of them already before the commit if the file grows much. The file on disk is
/// always in a committed state, except while a commit overwrites (after a kill within it the
/// journal repairs the file when it is opened for writing again).
class JournaledStorage : public Hdf5Storage {
 public:
  enum class Durability { process, power };  ///< survives a kill; survives a power failure too

  /// Mode::create empties the file and removes a journal; Mode::update replays or discards one.
  /// bytes_in_memory: approximate size at which growth is written to the file before a commit.
  JournaledStorage(const std::filesystem::path& path, PosixFile::Mode mode,
                   std::size_t bytes_in_memory = std::size_t{8} << 20U);
  void read(std::int64_t offset, std::span<std::byte> to) override;
  void write(std::int64_t offset, std::span<const std::byte> from) noexcept override;
  void resize(std::int64_t size) noexcept override { size_ = size; }
  [[nodiscard]] std::int64_t size() const override { return size_; }

  /// Commits all changes. Throws FileError if the disk is full: the file stays unchanged and the
  /// changes stay in memory.
  void commit(Durability durability) {
    prepare(durability);
    apply(durability);
  }
  /// Halves of a commit: growth and journal, then overwriting. Tests kill the process between and
  /// within them.
  void prepare(Durability durability);
  void apply(Durability durability);
  /// Removes the (empty) journal; nothing may be written afterwards.
  void remove_journal();

  [[nodiscard]] static std::filesystem::path journal_path(const std::filesystem::path& path);
  /// Replays a complete journal, discards a torn one. True if a journal was replayed.
  static bool recover(const std::filesystem::path& path);

 private:
  static constexpr std::int64_t page_bytes = 4096;
  static constexpr std::size_t run_bytes = std::size_t{1} << 20U;
  struct Run {
    std::int64_t offset = 0;
    std::vector<std::byte> bytes;
  };
  static const std::filesystem::path& recovered(const std::filesystem::path& path,
                                                PosixFile::Mode mode);
  std::vector<std::byte>& page(std::int64_t number, bool whole);
  /// Writes pages beyond the committed end to the file, to free their memory.
  void write_new_pages();
  [[nodiscard]] std::vector<Run> runs() const;
  void write_journal(Durability durability);
  void roll_back_growth() noexcept;

  PosixFile file_;
  PosixFile journal_;
  std::map<std::int64_t, std::vector<std::byte>> pages_;  // changed pages by number
  std::vector<Run> overwritten_;                          // between prepare() and apply()
  std::int64_t committed_size_ = 0;
  std::int64_t size_ = 0;
  std::int64_t written_end_ = 0;  // end of the pages written by write_new_pages(); 0: none
  std::size_t first_page_limit_;
  std::size_t page_limit_;    // pages in memory before new ones are written
  std::exception_ptr error_;  // failed overwrite or allocation: no more commits
};

}  // namespace nfold::storage
