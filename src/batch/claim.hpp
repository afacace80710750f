// The folder of a batch, taken for one start of the program: who else may write there, and what may
// be there. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>

#include "batch/folder.hpp"
#include "batch/part.hpp"
#include "job/folder_lock.hpp"

namespace nfold::batch {

/// Held until destruction. For one rank.
class Claim {
 public:
  /// Treatment of files that an earlier start left.
  enum class Earlier { continued, refused, replaced };
  /// Makes the folder if there is none. list: the file that names the targets. InputError if the
  /// folder is another's, or another program is at the same targets.
  Claim(const BatchFolder& folder, const Part& part, Earlier earlier,
        const std::filesystem::path& list);

 private:
  std::unique_ptr<job::FolderLock> folder_;
  std::unique_ptr<job::FileLock> part_;
};

}  // namespace nfold::batch
