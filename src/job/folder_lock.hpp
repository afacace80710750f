// One writer a folder: a lock that the system drops when its holder dies, however it dies.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

namespace nfold::job {

/// Held until destruction. For one rank.
class FolderLock {
 public:
  /// InputError if another process holds it. A file system without locks is taken as free.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace nfold::job
