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
#include "core/storage/atomic_file.hpp"
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

/// True for the same file, and for two tables with the same text in all of their files. A copy in
/// the output folder names copies.
bool is_same_table(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal()) return true;
  return fs::is_regular_file(a, error) && fs::is_regular_file(b, error) &&
         input::is_same_force_field(a, b);
}

void remove_link(const fs::path& file) {
  std::error_code error;
  if (fs::is_symlink(file, error)) fs::remove(file, error);
}

/// Copies a table and the files that it names, which then name the copies. Returns the name of the
/// table's copy. start: first part of a copy's name; number: of the table's copy; next: of the
/// first of the others.
std::string copy_table(const fs::path& table, const fs::path& folder, const std::string& start,
                       int number, int next) {
  const auto files = input::read_table_files(table);
  std::vector<std::string> names;
  for (const auto& file : files) {
    names.push_back(fmt::format("{}{}-{}", start, names.empty() ? number : next++,
                                file.path.filename().string()));
  }
  for (std::size_t k = 0; k < files.size(); ++k) {
    remove_link(folder / names[k]);
    storage::write_file_atomically(folder / names[k], files[k].renamed(names));
  }
  return names.front();
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
    const auto one = input::path_from_input(kept_input, *of_kept[k]),
               other = input::path_from_input(input_file, *of_now[k]);
    const bool is_table = of_now[k] == &now.force_field.condensate.table;
    if (is_table ? is_same_table(one, other) : is_same_file(one, other)) {
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
  const auto named = input::named_files(settings);
  for (std::string* path : named) {
    ++number;
    if (path == &settings.start.checkpoint || path == &settings.start.coordinates) continue;
    const fs::path from = paths.folder / *path;
    const std::string start = paths.name + status::input_copy_infix;
    if (path->starts_with(start)) continue;  // already a copy
    if (path == &settings.force_field.condensate.table) {
      *path = copy_table(from, paths.folder, start, number, static_cast<int>(named.size()) + 1);
      continue;
    }
    const std::string name = start + std::to_string(number) + "-" + from.filename().string();
    remove_link(paths.folder / name);
    std::error_code error;
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
