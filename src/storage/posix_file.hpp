// An open file by descriptor: whole reads and writes at a place, every failure a FileError.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "storage/file_error.hpp"

namespace nfold::storage {

/// Writing follows no link, so that a folder made by others leads nowhere else.
class PosixFile {
 public:
  enum class Mode { read, create, update };  ///< create: empty, whatever was there before

  PosixFile(std::filesystem::path path, Mode mode);
  ~PosixFile();
  PosixFile(PosixFile&& other) noexcept;
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  PosixFile& operator=(PosixFile&&) = delete;

  /// Fills `to`; bytes beyond the end of the file come back as zeros. Returns those really read.
  std::size_t read_at(std::int64_t offset, std::span<std::byte> to) const;
  void write_at(std::int64_t offset, std::span<const std::byte> from);
  void truncate(std::int64_t size);
  /// Makes sure that the disk has room for the first `size` bytes, as far as it can tell.
  void reserve(std::int64_t size);
  void sync();
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(const char* action, int error_number) const;

  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// The path. Throws FileError where a link or no regular file stands there.
[[nodiscard]] std::filesystem::path own_file(const std::filesystem::path& path);

/// "FILE: cannot ACTION: REASON (REMEDY)" from an errno.
[[nodiscard]] std::string file_failure(const std::filesystem::path& path, const char* action,
                                       int error_number);

}  // namespace nfold::storage
