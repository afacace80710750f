// Exclusive claim of a batch folder: locks, and checks of its contents.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>

#include "batch/folder.hpp"
#include "batch/part.hpp"
#include "session/job/folder_lock.hpp"

namespace nfold::batch {

/// Lock of a batch folder, held until destruction. Rank 0 only.
class Claim {
 public:
  /// Treatment of files of an earlier batch.
  enum class Earlier { continued, refused, replaced };
  /// Creates the folder if there is none. list: the batch file. Throws InputError if the folder
  /// holds other files, or if another process works on the same targets.
  Claim(const BatchFolder& folder, const Part& part, Earlier earlier,
        const std::filesystem::path& list);

 private:
  std::unique_ptr<job::FolderLock> folder_;
  std::unique_ptr<job::FileLock> part_;
};

}  // namespace nfold::batch
