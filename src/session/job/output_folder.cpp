// Claiming of a run's output folder.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/output_folder.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "core/read_text.hpp"
#include "core/refusal.hpp"
#include "core/status/status_file.hpp"
#include "input/input.hpp"
#include "io/checkpoint.hpp"
#include "session/job/changed_input.hpp"
#include "session/job/run_files.hpp"

namespace nfold::job {
namespace fs = std::filesystem;
namespace {

const std::string way_out = "choose another folder by --output, or replace this one by --overwrite";

/// Throws InputError for files that the run would overwrite.
void refuse_foreign(const std::vector<fs::path>& foreign) {
  if (foreign.empty()) return;
  core::refuse(
      foreign.front().string(),
      "the run would write a file of this name, and this one is not known to be of a run of "
      "nfold",
      "move it away, or choose another folder by --output");
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) core::refuse(file.string(), "cannot be removed", error.message());
}

/// Removes an nfold report: a page that names nfold as its maker and pictures with known names.
void remove_report(const fs::path& folder) {
  const fs::path report = folder / status::report_folder, page = report / status::report_page;
  const auto text = core::read_text(page);
  if (!text || text->find(": nfold report</title>") == std::string::npos) return;
  for (const auto name : status::report_pictures) {
    const fs::path picture = report / (std::string(name) + ".png");
    if (fs::is_regular_file(picture)) remove_file(picture);
  }
  remove_file(page);
  std::error_code not_empty;
  fs::remove(report, not_empty);
}

bool is_among(const fs::path& file, std::span<const fs::path> files) {
  return std::ranges::any_of(files, [&file](const fs::path& other) {
    std::error_code error;
    return fs::equivalent(file, other, error);
  });
}

/// Removes the files of the named runs. The stored input of a run that resumes from it stays.
/// Throws InputError, before any removal, if another of the files is an input.
void remove_runs(const status::OutputPaths& paths, const std::vector<std::string>& names,
                 std::span<const fs::path> inputs) {
  std::vector<fs::path> removed;
  for (const auto& name : names) {
    for (const auto& file : files_of_run({paths.folder, name}).own) {
      const bool may_stay = file == paths.input() || file.filename().string().starts_with(
                                                         paths.name + status::input_copy_infix);
      if (!is_among(file, inputs)) {
        removed.push_back(file);
      } else if (!may_stay || !holds_run(paths)) {
        core::refuse(file.string(), "is an input of the run that would replace it",
                     "choose another folder by --output");
      }
    }
  }
  for (const auto& file : removed) remove_file(file);
  remove_report(paths.folder);
}

/// True if the only file is the partial input of a start that was killed while writing it.
bool is_partial_input(const status::OutputPaths& paths, const std::vector<fs::path>& files) {
  return files.size() == 1 && files.front() == paths.with(".input.yaml.tmp");
}

/// True if all files are of a start that ended before its input was complete; none holds results.
bool are_leftovers(const status::OutputPaths& paths, const RunFiles& files) {
  const std::string copies = paths.name + status::input_copy_infix;
  const auto is_leftover = [&](const fs::path& file) {
    constexpr std::array endings{".input.yaml.tmp", ".status", ".status.tmp", ".incidents.jsonl",
                                 ".incidents.jsonl.tmp"};
    return file.filename().string().starts_with(copies) ||
           std::ranges::any_of(endings,
                               [&](const char* ending) { return file == paths.with(ending); });
  };
  return std::ranges::all_of(files.own, is_leftover) &&
         (files.foreign.empty() || is_partial_input(paths, files.foreign));
}

// Throws InputError if the folder's run had another input. With the same input, a new start without
// a checkpoint loses nothing.
void require_same_input(const status::OutputPaths& paths, const input::Settings& settings,
                        const fs::path& input_file) {
  if (!fs::exists(paths.input())) {
    core::refuse(paths.folder.string(),
                 "holds files of a run '" + paths.name + "' without its input or a checkpoint",
                 way_out);
  }
  const auto before =
      input::parse_input(input::read_input_text(paths.input()), paths.input().string());
  refuse_changed_keys(adopt_same_paths(before, settings, input_file, paths.input()), settings,
                      paths.folder.string());
}

/// Throws InputError for a file or a link loop in place of the folder, before a library fails on
/// it.
void require_reachable(const fs::path& folder) {
  std::error_code error;
  const auto status = fs::status(folder, error);
  if (status.type() == fs::file_type::none) {
    core::refuse(folder.string(), "cannot be the output folder: " + error.message(),
                 "a link must not lead back to itself; choose another folder by --output");
  }
  if (fs::exists(status) && !fs::is_directory(status)) {
    core::refuse(folder.string(), "cannot be the output folder: a file of that name is there",
                 "choose another folder by --output");
  }
}

}  // namespace

void make_output_folder(const fs::path& folder) {
  require_reachable(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    core::refuse(folder.string(), "cannot be made as the output folder",
                 error ? error.message() : std::string("a file of that name is there"));
  }
}

bool is_finished(const status::OutputPaths& paths) {
  const auto status = status::read_status(paths.status());
  return status && status->outcome == core::Outcome::done;
}

FolderContents inspect_folder(const status::OutputPaths& paths, const input::Settings& settings,
                              ResumeMode mode, const fs::path& input_file) {
  require_reachable(paths.folder);
  for (const auto& name : runs_in(paths.folder)) {
    if (name == paths.name) continue;
    core::refuse(paths.folder.string(), "holds the output of another input, '" + name + "'",
                 way_out);
  }
  const auto files = files_of_run(paths);
  if (are_leftovers(paths, files)) return FolderContents::fresh;
  if (mode == ResumeMode::never && !files.own.empty()) {
    core::refuse(paths.folder.string(), "holds the output of an earlier run, and --resume is never",
                 way_out);
  }
  if (io::checkpoint_exists(paths.checkpoint())) return FolderContents::checkpoint;
  refuse_foreign(files.foreign);
  require_same_input(paths, settings, input_file);
  return FolderContents::begun;
}

void require_replaceable(const status::OutputPaths& paths) {
  const auto files = files_of_run(paths);
  if (!is_partial_input(paths, files.foreign)) refuse_foreign(files.foreign);
}

FolderContents claim_folder(const status::OutputPaths& paths, const input::Settings& settings,
                            ResumeMode mode, Overwrite overwrite,
                            std::span<const fs::path> inputs) {
  if (overwrite == Overwrite::yes) {
    require_replaceable(paths);
    auto names = runs_in(paths.folder);
    if (std::ranges::find(names, paths.name) == names.end()) names.push_back(paths.name);
    remove_runs(paths, names, inputs);
    return FolderContents::fresh;
  }
  const auto offer =
      inspect_folder(paths, settings, mode, inputs.empty() ? fs::path() : inputs.front());
  if (offer == FolderContents::begun) remove_runs(paths, {paths.name}, inputs);
  return offer;
}

}  // namespace nfold::job
