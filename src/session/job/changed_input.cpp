// Comparison of a run's input with the input of the run that it resumes.
// SPDX-License-Identifier: BSD-3-Clause

#include "session/job/changed_input.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "core/input_error.hpp"
#include "core/storage/posix_file.hpp"
#include "input/input.hpp"
#include "input/named_files.hpp"

namespace nfold::job {
namespace fs = std::filesystem;

namespace {
bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal() ||
      fs::equivalent(a, b, error)) {
    return true;
  }
  if (!fs::is_regular_file(a, error) || !fs::is_regular_file(b, error) ||
      fs::file_size(a, error) != fs::file_size(b, error)) {
    return false;
  }
  std::ifstream one(a, std::ios::binary), other(b, std::ios::binary);
  return one && other &&
         std::equal(std::istreambuf_iterator<char>(one), {}, std::istreambuf_iterator<char>(other),
                    {});
}

/// Returns a remedy: a new run that starts from the checkpoint `where`. Empty for an ensemble,
/// which starts from no checkpoint, and for a folder.
std::string new_run_remedy(const std::filesystem::path& where, const input::Settings& now) {
  std::error_code error;
  if (now.ensemble.is_enabled() || !std::filesystem::is_regular_file(where, error)) return {};
  return fmt::format(
      "; a new run goes on from its last state: --output OTHER.out --set start.checkpoint={}",
      std::filesystem::absolute(where, error).lexically_normal().string());
}
}  // namespace

void refuse_changed_keys(const input::Settings& before, const input::Settings& now,
                         const std::string& where) {
  const std::string way_on = new_run_remedy(where, now);
  std::vector<core::InputProblem> problems;
  for (const auto& key : input::changed_keys(before, now)) {
    if (key.allowed) continue;
    core::InputProblem changed;
    changed.position.file = where;
    changed.problem = fmt::format("{} was {}, is now {}", key.key, key.before, key.now);
    changed.remedy =
        "a run goes on only with the value it began with; set it back, choose another folder by "
        "--output, or replace this one by --overwrite" +
        way_on;
    problems.push_back(std::move(changed));
  }
  if (!problems.empty()) throw core::InputError(std::move(problems));
}

input::Settings adopt_same_paths(input::Settings before, input::Settings now,
                                 const fs::path& input_file, const fs::path& kept_input) {
  std::error_code error;
  if (!fs::is_regular_file(kept_input, error)) return before;
  auto kept = input::parse_input(input::read_input_text(kept_input), kept_input.string());
  const auto of_kept = input::named_files(kept), of_before = input::named_files(before),
             of_now = input::named_files(now);
  if (of_kept.size() != of_now.size() || of_before.size() != of_now.size()) return before;
  for (std::size_t k = 0; k < of_now.size(); ++k) {
    if (is_same_file(input::path_from_input(kept_input, *of_kept[k]),
                     input::path_from_input(input_file, *of_now[k]))) {
      *of_before[k] = *of_now[k];
    }
  }
  return before;
}

input::Settings to_stored_settings(input::Settings settings, const fs::path& input_file,
                                   const status::OutputPaths& paths, bool keep) {
  input::rebase_paths(settings, input_file, paths.folder);
  if (!keep) return settings;
  int number = 0;
  for (std::string* path : input::named_files(settings)) {
    ++number;
    if (path == &settings.start.checkpoint || path == &settings.start.coordinates) continue;
    const fs::path from = paths.folder / *path;
    const std::string start = paths.name + status::input_copy_infix;
    if (path->starts_with(start)) continue;  // already a copy
    const std::string name = start + std::to_string(number) + "-" + from.filename().string();
    std::error_code error;
    if (fs::is_symlink(paths.folder / name, error)) fs::remove(paths.folder / name, error);
    fs::copy_file(from, paths.folder / name, fs::copy_options::overwrite_existing, error);
    if (error) {
      throw storage::make_file_error(paths.folder / name, "copy an input to it", error.value());
    }
    *path = name;
  }
  return settings;
}

std::string accepted_changes(const input::Settings& before, const input::Settings& now) {
  std::string text;
  for (const auto& key : input::changed_keys(before, now)) {
    if (!key.allowed) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {} -> {}", key.key, key.before, key.now);
  }
  return text;
}

}  // namespace nfold::job
