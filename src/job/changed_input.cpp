// Compares the input of a run with the one it is continued with.
// SPDX-License-Identifier: BSD-3-Clause

#include "job/changed_input.hpp"

#include <fmt/core.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "document/input_error.hpp"
#include "input_files/input.hpp"

namespace nfold::job {

namespace {
/// A new run may begin where this one stands; an ensemble starts from no checkpoint.
std::string way_on_from(const std::filesystem::path& where, const config::Settings& now) {
  std::error_code error;
  if (now.ensemble.is_one() || !std::filesystem::is_regular_file(where, error)) return {};
  return fmt::format(
      "; a new run goes on from its last state: --output OTHER.out --set start.checkpoint={}",
      std::filesystem::absolute(where, error).lexically_normal().string());
}
}  // namespace

void refuse_changed_keys(const config::Settings& before, const config::Settings& now,
                         const std::string& where) {
  const std::string way_on = way_on_from(where, now);
  std::vector<document::InputProblem> problems;
  for (const auto& key : input_files::changed_keys(before, now)) {
    if (key.allowed) continue;
    document::InputProblem changed;
    changed.position.file = where;
    changed.problem = fmt::format("{} was {}, is now {}", key.key, key.before, key.now);
    changed.remedy =
        "a run goes on only with the value it began with; set it back, choose another folder by "
        "--output, or replace this one by --overwrite" +
        way_on;
    problems.push_back(std::move(changed));
  }
  if (!problems.empty()) throw document::InputError(std::move(problems));
}

std::string accepted_changes(const config::Settings& before, const config::Settings& now) {
  std::string text;
  for (const auto& key : input_files::changed_keys(before, now)) {
    if (!key.allowed) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {} -> {}", key.key, key.before, key.now);
  }
  return text;
}

}  // namespace nfold::job
