// Names, suffixes and contents of a run's files.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/run_files.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

#include "input/keys.hpp"

namespace nfold::job {
namespace fs = std::filesystem;
namespace {

/// Text that nfold writes into the first head_bytes of each file with this suffix.
struct Content {
  std::string_view ending, text;
};
constexpr std::array contents{Content{".ckpt.h5", "NFOLDCK"},
                              Content{".ckpt.prev.h5", "NFOLDCK"},
                              Content{".explosion.h5", "NFOLDCK"},
                              Content{".explosion.prev.h5", "NFOLDCK"},
                              Content{".h5md", "nfold"},
                              Content{".energies.csv", "step,time_ps,"},
                              Content{".balance.csv", "step,session_seconds,"},
                              Content{".performance.json", "\"simulated_ns\""},
                              Content{".confidence.json", "\"block_residues\""},
                              Content{".trace.json", "\"traceEvents\""},
                              Content{".observables.h5", "nfold"},
                              Content{".samples", "nfold-samples"},
                              Content{".ensemble.h5", "nfold"},
                              Content{".incidents.jsonl", "\"what\""},
                              Content{".status", "state: "},
                              Content{".log", "nfold"},
                              Content{".dcd", "written by nfold"},
                              Content{".psf", "written by nfold"},
                              Content{".csv", "step,time_ps,"}};
constexpr std::size_t head_bytes = 8192;

bool is_regular(const fs::path& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

std::string head_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string head(head_bytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(stream.gcount()));
  return head;
}

/// True for an input with a value for most keys and no comment, which no person writes.
bool is_resolved_input(const fs::path& file) {
  if (!is_regular(file)) return false;
  const std::string text = head_of(file);
  const auto keys = static_cast<std::size_t>(std::count(text.begin(), text.end(), ':'));
  return text.starts_with("system:\n") && text.find("\n#") == std::string::npos &&
         text.find(" #") == std::string::npos && 2 * keys > input::all_keys().size();
}

/// True if the contents are nfold's. ending: suffix behind NAME or NAME.replica-7.
bool has_nfold_content(const fs::path& file, std::string_view ending) {
  if (!is_regular(file)) return false;
  if (ending == ".input.yaml") return is_resolved_input(file);
  const auto* const content =
      std::find_if(contents.begin(), contents.end(),
                   [ending](const Content& one) { return one.ending == ending; });
  if (content == contents.end()) return true;  // left by an incomplete write
  if (is_regular(file.string() + ".journal")) return true;
  const std::string head = head_of(file);
  return head.find(content->text) != std::string::npos ||
         head.find_first_not_of('\0') == std::string::npos;  // reserved, never written
}

bool has(const status::OutputPaths& paths, const char* ending) {
  return has_nfold_content(paths.with(ending), ending);
}

// Returns the suffix of NAME.replica-7.csv. Empty for files of no replica, such as
// NAME.replica-best.csv and NAME.replica-07.csv, which a person made.
std::string_view replica_ending(std::string_view file, const std::string& name) {
  const std::string start = name + status::replica_infix;
  if (!file.starts_with(start)) return {};
  file.remove_prefix(start.size());
  const auto digits = std::min(file.find_first_not_of("0123456789"), file.size());
  const bool is_number = digits == 1 || (digits > 1 && file.front() != '0');
  file.remove_prefix(digits);
  const auto* const known =
      std::find(status::replica_suffixes.begin(), status::replica_suffixes.end(), file);
  return is_number && known != status::replica_suffixes.end() ? *known : std::string_view();
}

/// True for NAME.ranks-8.json, left by a killed job.
bool is_rank_file(std::string_view file, const std::string& name) {
  const std::string start = name + status::rank_files_suffix + "-";
  constexpr std::string_view end = ".json";
  if (!file.starts_with(start) || !file.ends_with(end)) return false;
  file.remove_prefix(start.size());
  return file.find_first_not_of("0123456789") == file.size() - end.size();
}

/// True for NAME.file-1-1ubq.pdb, a copy of a file that the input names.
bool is_kept_file(std::string_view file, const std::string& name) {
  const std::string start = name + status::input_copy_infix;
  if (!file.starts_with(start)) return false;
  file.remove_prefix(start.size());
  const auto digits = file.find_first_not_of("0123456789");
  return digits != std::string_view::npos && digits > 0 && file[digits] == '-';
}

int removal_order(const status::OutputPaths& paths, const fs::path& file) {
  if (file == paths.input()) return 3;
  if (file == paths.status()) return 2;
  return file == paths.checkpoint() || file == paths.with(".ckpt.prev.h5") ? 0 : 1;
}

}  // namespace

bool holds_run(const status::OutputPaths& paths) {
  return has(paths, ".status") || has(paths, ".ckpt.h5") || has(paths, ".ckpt.prev.h5");
}

RunFiles files_of_run(const status::OutputPaths& paths) {
  const bool is_proven =
      holds_run(paths) || is_resolved_input(paths.input()) || has(paths, ".incidents.jsonl");
  RunFiles files;
  const auto add = [&](const fs::path& file, std::string_view ending) {
    const bool is_own = is_proven && has_nfold_content(file, ending);
    (is_own ? files.own : files.foreign).push_back(file);
  };
  std::error_code error;
  for (const char* ending : status::output_suffixes) {
    const auto file = paths.with(ending);
    if (fs::exists(fs::symlink_status(file, error))) add(file, ending);
  }
  for (const auto& entry : fs::directory_iterator(paths.folder, error)) {
    const std::string file = entry.path().filename().string();
    const auto ending = replica_ending(file, paths.name);
    if (!ending.empty()) add(paths.folder / file, ending);
    if (is_rank_file(file, paths.name)) add(paths.folder / file, "");
    // Copies are written before the input that proves their origin, and a new start replaces them.
    if (is_proven && is_kept_file(file, paths.name)) add(paths.folder / file, "");
  }
  std::stable_sort(files.own.begin(), files.own.end(), [&](const auto& a, const auto& b) {
    return removal_order(paths, a) < removal_order(paths, b);
  });
  return files;
}

std::vector<std::string> runs_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string file = entry.path().filename().string();
    for (const std::string_view ending : {".status", ".ckpt.h5", ".ckpt.prev.h5"}) {
      if (file.size() <= ending.size() || !file.ends_with(ending)) continue;
      const std::string name = file.substr(0, file.size() - ending.size());
      if (holds_run({folder, name})) names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace nfold::job
