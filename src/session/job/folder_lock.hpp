// Locks on folders and files, which the system releases when their holder dies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace nfold::job {

/// Lock on a folder, held until destruction. For one rank.
class FolderLock {
 public:
  enum class Sharing : std::uint8_t {
    alone,
    with_parts  ///< shared with other holders, each with files of its own
  };
  /// Throws InputError if another process holds the lock. A file system without locks counts as
  /// free.
  explicit FolderLock(const std::filesystem::path& folder, Sharing sharing = Sharing::alone);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// Lock on a file, which is created if it is missing.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// True if any process holds the lock, including this one.
  [[nodiscard]] static bool is_held(const std::filesystem::path& file);

 private:
  int descriptor_ = -1;
};

}  // namespace nfold::job
