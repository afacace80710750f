// Locks and refusals.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/claim.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "batch/ledger.hpp"
#include "job/output_folder.hpp"
#include "job/refusal.hpp"

namespace nfold::batch {
namespace fs = std::filesystem;
namespace {

/// A part of another division would have targets of this one.
void refuse_other_division(const BatchFolder& folder, const Part& part) {
  const auto ending = fmt::format("-of-{}.csv", part.of);
  for (const auto& entry : fs::directory_iterator(folder.folder)) {
    const auto& file = entry.path();
    if (!is_ledger(file) || file.filename().string().ends_with(ending)) continue;
    if (!job::FileLock::is_held(file)) continue;
    job::refuse(folder.folder.string(),
                fmt::format("a part of another division is at work ({}), and --part is {}/{}",
                            file.filename().string(), part.number, part.of),
                "wait for it to end or stop it");
  }
}

}  // namespace

Claim::Claim(const BatchFolder& folder, const Part& part, bool goes_on) {
  job::make_output_folder(folder.folder);
  folder_ = std::make_unique<job::FolderLock>(
      folder.folder,
      part.is_all() ? job::FolderLock::Sharing::alone : job::FolderLock::Sharing::with_parts);
  const bool is_batch = folder.has_begun();
  if (!is_batch && !fs::is_empty(folder.folder)) {
    job::refuse(folder.folder.string(), "holds files, and no batch",
                "choose another folder by --output");
  }
  const bool has_own = part.is_all() ? is_batch : fs::exists(folder.targets());
  if (has_own && !goes_on) {
    job::refuse(folder.folder.string(), "holds an earlier batch, and --resume is never",
                "choose another folder by --output");
  }
  if (part.is_all()) return;
  part_ = std::make_unique<job::FileLock>(folder.running());
  refuse_other_division(folder, part);
}

}  // namespace nfold::batch
