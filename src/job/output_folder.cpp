// Claims the output folder of a run.
// SPDX-License-Identifier: BSD-3-Clause

#include "job/output_folder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "input_files/input.hpp"
#include "io/checkpoint.hpp"
#include "job/changed_input.hpp"
#include "job/refusal.hpp"

namespace nfold::job {
namespace fs = std::filesystem;
namespace {

const std::string way_out = "choose another folder by --output, or replace this one by --overwrite";

// NAME.replica-7.csv, but neither NAME.replica-best.csv nor NAME.replica-07.csv, which a person
// made.
bool is_replica_file(std::string_view file, const std::string& name) {
  const std::string start = name + replica_infix;
  if (!file.starts_with(start)) return false;
  file.remove_prefix(start.size());
  const auto digits = std::min(file.find_first_not_of("0123456789"), file.size());
  const bool is_number = digits == 1 || (digits > 1 && file.front() != '0');
  file.remove_prefix(digits);
  return is_number && std::find(replica_suffixes.begin(), replica_suffixes.end(), file) !=
                          replica_suffixes.end();
}

/// NAME.ranks-8.json, which a killed job leaves.
bool is_rank_file(std::string_view file, const std::string& name) {
  const std::string start = name + rank_files_suffix + "-";
  constexpr std::string_view end = ".json";
  if (!file.starts_with(start) || !file.ends_with(end)) return false;
  file.remove_prefix(start.size());
  return file.find_first_not_of("0123456789") == file.size() - end.size();
}

std::vector<fs::path> files_of(const OutputPaths& paths) {
  std::vector<fs::path> files;
  for (const char* suffix : output_suffixes) {
    if (fs::exists(paths.with(suffix))) files.push_back(paths.with(suffix));
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(paths.folder, error)) {
    const std::string file = entry.path().filename().string();
    const bool is_its_own = is_replica_file(file, paths.name) || is_rank_file(file, paths.name);
    if (is_its_own && entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

void remove_file(const fs::path& file) {
  std::error_code error;
  fs::remove(file, error);
  if (error) refuse(file.string(), "cannot be removed", error.message());
}

/// Only beside a page that names nfold as its maker, and only pictures by the names that tools
/// give.
void remove_report_of(const fs::path& folder) {
  const fs::path report = folder / report_folder, page = report / report_page;
  std::ifstream file(page);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (text.find(": nfold report</title>") == std::string::npos) return;
  for (const auto name : report_pictures) {
    const fs::path picture = report / (std::string(name) + ".png");
    if (fs::is_regular_file(picture)) remove_file(picture);
  }
  remove_file(page);
  std::error_code not_empty;
  fs::remove(report, not_empty);
}

/// In an order by which a kill between two of them leaves what the next start understands: no
/// checkpoint of files that are gone, and the input, which tells whose the files are, to the last.
void remove_files_of(const OutputPaths& paths) {
  for (const auto& file : {io::previous_checkpoint_path(paths.checkpoint()), paths.checkpoint()}) {
    remove_file(file);
  }
  for (const auto& file : files_of(paths)) {
    if (file != paths.input()) remove_file(file);
  }
  remove_report_of(paths.folder);
  remove_file(paths.input());
}

/// Of a start that was killed while it wrote its first file.
bool is_part_of_an_input(const OutputPaths& paths, const std::vector<fs::path>& files) {
  return files.size() == 1 && files.front() == paths.with(".input.yaml.tmp");
}

// Without a checkpoint nothing is lost by a new start, if it is this input's.
void require_same_input(const OutputPaths& paths, const config::Settings& settings) {
  if (!fs::exists(paths.input())) {
    refuse(paths.folder.string(),
           "holds files of a run '" + paths.name + "' without its input or a checkpoint", way_out);
  }
  const auto before =
      input_files::parse_input(input_files::read_input_text(paths.input()), paths.input().string());
  refuse_changed_keys(before, settings, paths.folder.string());
}

/// What is no folder, or a link that leads nowhere, would be met later by a library.
void require_reachable(const fs::path& folder) {
  std::error_code error;
  const auto status = fs::status(folder, error);
  if (status.type() == fs::file_type::none) {
    refuse(folder.string(), "cannot be the output folder: " + error.message(),
           "a link must not lead back to itself; choose another folder by --output");
  }
  if (fs::exists(status) && !fs::is_directory(status)) {
    refuse(folder.string(), "cannot be the output folder: a file of that name is there",
           "choose another folder by --output");
  }
}

/// Of all runs with files in the folder, by their NAME.status or NAME.input.yaml.
std::vector<std::string> run_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    for (const std::string_view suffix : {".status", ".input.yaml"}) {
      if (file.size() > suffix.size() && file.ends_with(suffix)) {
        names.push_back(file.substr(0, file.size() - suffix.size()));
      }
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace

void make_output_folder(const fs::path& folder) {
  require_reachable(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    refuse(folder.string(), "cannot be made as the output folder",
           error ? error.message() : std::string("a file of that name is there"));
  }
}

bool is_finished(const OutputPaths& paths) {
  std::ifstream file(paths.status());
  for (std::string line; std::getline(file, line);) {
    if (line == "state: done") return true;
  }
  return false;
}

FolderOffer folder_offer(const OutputPaths& paths, const config::Settings& settings,
                         ResumeMode mode) {
  require_reachable(paths.folder);
  for (const auto& name : run_names(paths.folder)) {
    if (name == paths.name) continue;
    refuse(paths.folder.string(), "holds the output of another input, '" + name + "'", way_out);
  }
  const auto files = files_of(paths);
  if (files.empty() || is_part_of_an_input(paths, files)) return FolderOffer::fresh;
  if (mode == ResumeMode::never) {
    refuse(paths.folder.string(), "holds the output of an earlier run, and --resume is never",
           way_out);
  }
  if (io::checkpoint_exists(paths.checkpoint())) return FolderOffer::checkpoint;
  require_same_input(paths, settings);
  return FolderOffer::begun;
}

FolderOffer claim_folder(const OutputPaths& paths, const config::Settings& settings,
                         ResumeMode mode, Overwrite overwrite) {
  if (overwrite == Overwrite::yes) {
    for (const auto& name : run_names(paths.folder)) remove_files_of({paths.folder, name});
    remove_files_of(paths);
    return FolderOffer::fresh;
  }
  const auto offer = folder_offer(paths, settings, mode);
  if (offer == FolderOffer::begun) remove_files_of(paths);
  return offer;
}

}  // namespace nfold::job
