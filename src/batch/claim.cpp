// Locks of a batch folder, and removal of an earlier batch.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "batch/ledger.hpp"
#include "batch/target_files.hpp"
#include "core/refusal.hpp"
#include "input/batch_file.hpp"
#include "session/job/output_folder.hpp"

namespace nfold::batch {
namespace fs = std::filesystem;
namespace {

/// Throws InputError if a part K/M with another M is running, since its targets overlap with ours.
void refuse_other_division(const BatchFolder& folder, const Part& part) {
  const auto ending = fmt::format("-of-{}.csv", part.of);
  for (const auto& entry : fs::directory_iterator(folder.folder)) {
    const auto& file = entry.path();
    if (!is_ledger(file) || file.filename().string().ends_with(ending)) continue;
    if (!job::FileLock::is_held(file)) continue;
    core::refuse(folder.folder.string(),
                 fmt::format("a part of another division is at work ({}), and --part is {}/{}",
                             file.filename().string(), part.number, part.of),
                 "wait for it to end or stop it");
  }
}

/// True if the folder holds a ledger, which only a batch writes.
bool has_ledger(const BatchFolder& folder) {
  std::ifstream file(folder.running());
  std::string line;
  return std::getline(file, line) && line.starts_with("time,job,event,target,");
}

bool is_regular(const fs::path& file) { return fs::is_regular_file(fs::symlink_status(file)); }
bool is_folder(const fs::path& file) { return fs::is_directory(fs::symlink_status(file)); }

/// Files of an earlier batch, found by name, and the output folders of its targets.
class EarlierBatch {
 public:
  explicit EarlierBatch(const BatchFolder& folder) : folder_(folder) {
    for (const auto& entry : fs::directory_iterator(folder.folder)) {
      const auto name = entry.path().filename().string();
      if (is_regular(entry) && input::is_batch_output(name)) files_.push_back(entry);
      const bool is_target = is_regular(folder.backend(name)) || is_regular(folder.failure(name));
      if (is_folder(entry) && is_target) add_target(entry, name);
    }
  }

  /// Throws InputError if removal would delete the batch file or a foreign file. Removes nothing.
  void require_replaceable(const fs::path& list) const {
    std::error_code error;
    for (const auto& file : files_) {
      if (!fs::equivalent(file, list, error)) continue;
      core::refuse(file.string(), "is the list of the batch that would replace it",
                   "choose another folder by --output");
    }
    for (const auto& run : runs_) job::require_replaceable(run);
  }

  void remove() const {
    for (const auto& run : runs_) {
      (void)job::claim_folder(run, {}, job::ResumeMode::automatic, job::Overwrite::yes, {});
    }
    std::error_code is_not_empty;
    for (const auto& file : files_) fs::remove(file);
    for (auto one = folders_.rbegin(); one != folders_.rend(); ++one)
      fs::remove(*one, is_not_empty);
  }

 private:
  void add_target(const fs::path& folder, const std::string& target) {
    folders_.push_back(folder);
    for (const auto& entry : fs::directory_iterator(folder)) {
      const auto name = entry.path().filename().string();
      if (is_regular(entry) && is_target_file(name, target)) files_.push_back(entry);
      if (!is_folder(entry)) continue;
      if (is_stage(name)) {
        folders_.push_back(entry);
        runs_.push_back({entry, name});
      } else if (name.starts_with("attempt-")) {
        add_target(entry, target);
      }
    }
  }

  static bool is_stage(std::string_view name) {
    return std::ranges::find(stages_backwards, name) != stages_backwards.end();
  }
  [[nodiscard]] bool is_target_file(std::string_view name, const std::string& target) const {
    if (name.ends_with(".tmp")) name.remove_suffix(4);
    if (name == "exploded.txt") return true;
    if (name.ends_with(".yaml") && is_stage(name.substr(0, name.size() - 5))) return true;
    const auto files = {folder_.result(target), folder_.failure(target), folder_.tables(target),
                        folder_.estimate(target), folder_.backend(target)};
    return std::ranges::any_of(files,
                               [&](const fs::path& file) { return file.filename() == name; });
  }

  const BatchFolder& folder_;
  std::vector<fs::path> files_, folders_;  // folders_: parents before children
  std::vector<status::OutputPaths> runs_;
};

}  // namespace

Claim::Claim(const BatchFolder& folder, const Part& part, Earlier earlier, const fs::path& list) {
  job::make_output_folder(folder.folder);
  folder_ = std::make_unique<job::FolderLock>(
      folder.folder,
      part.is_all() ? job::FolderLock::Sharing::alone : job::FolderLock::Sharing::with_parts);
  const bool is_replaced = earlier == Earlier::replaced && has_ledger(folder);
  if (is_replaced) {
    const EarlierBatch batch(folder);
    batch.require_replaceable(list);
    batch.remove();
  }
  const bool is_batch = folder.has_begun();
  if (!is_batch && !is_replaced && !fs::is_empty(folder.folder)) {
    core::refuse(folder.folder.string(), "holds files, and no batch",
                 "choose another folder by --output");
  }
  const bool has_own = part.is_all() ? is_batch : fs::exists(folder.targets());
  if (has_own && earlier == Earlier::refused) {
    core::refuse(folder.folder.string(), "holds an earlier batch, and --resume is never",
                 "choose another folder by --output, or replace this one by --overwrite");
  }
  if (part.is_all()) return;
  part_ = std::make_unique<job::FileLock>(folder.running());
  refuse_other_division(folder, part);
}

}  // namespace nfold::batch
