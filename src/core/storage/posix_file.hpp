// File access by descriptor: whole reads and writes at an offset, every failure a FileError.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "core/storage/file_error.hpp"

namespace nfold::storage {

/// Open file. Opening for writing follows no link, so that a folder made by others cannot redirect
/// it.
class PosixFile {
 public:
  enum class Mode { read, create, update };  ///< create: empties an existing file

  PosixFile(std::filesystem::path path, Mode mode);
  ~PosixFile();
  PosixFile(PosixFile&& other) noexcept;
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  PosixFile& operator=(PosixFile&&) = delete;

  /// Fills `to`; bytes beyond the end of the file are zeros. Returns the number of bytes read.
  std::size_t read_at(std::int64_t offset, std::span<std::byte> to) const;
  void write_at(std::int64_t offset, std::span<const std::byte> from);
  void truncate(std::int64_t size);
  /// Reserves disk space for the first `size` bytes, if the file system supports it.
  void reserve(std::int64_t size);
  void sync();
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* action, int error_number) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Returns the path. Throws FileError if it is a link or no regular file.
[[nodiscard]] std::filesystem::path require_regular_file(const std::filesystem::path& path);

/// Returns the error "FILE: cannot ACTION: REASON (REMEDY)" of an errno.
[[nodiscard]] FileError make_file_error(const std::filesystem::path& path, const char* action,
                                        int error_number);

}  // namespace nfold::storage
