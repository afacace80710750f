// The folder of a batch, taken for one start of the program: who else may write there, and what may
// be there. SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "batch/folder.hpp"
#include "batch/part.hpp"
#include "job/folder_lock.hpp"

namespace nfold::batch {

/// Held until destruction. For one rank.
class Claim {
 public:
  /// Makes the folder if there is none. goes_on: what an earlier start left is welcome. InputError
  /// if the folder is another's, or another program is at the same targets.
  Claim(const BatchFolder& folder, const Part& part, bool goes_on);

 private:
  std::unique_ptr<job::FolderLock> folder_;
  std::unique_ptr<job::FileLock> part_;
};

}  // namespace nfold::batch
