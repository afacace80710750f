// One writer a folder or a file: locks that the system drops when their holder dies, however it
// dies. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

namespace nfold::job {

/// Held until destruction. For one rank.
class FolderLock {
 public:
  enum class Sharing : std::uint8_t {
    alone,
    with_parts  ///< others may hold it so too; each has files of its own
  };
  /// InputError if another process holds it. A file system without locks is taken as free.
  explicit FolderLock(const std::filesystem::path& folder, Sharing sharing = Sharing::alone);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

/// The same of a file, which it makes if there is none.
class FileLock {
 public:
  explicit FileLock(const std::filesystem::path& file);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// By any process, this one too.
  [[nodiscard]] static bool is_held(const std::filesystem::path& file);

 private:
  int descriptor_ = -1;
};

}  // namespace nfold::job
