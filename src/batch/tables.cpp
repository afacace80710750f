// Collection of the rows of all targets.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/tables.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>

#include "batch/times.hpp"
#include "core/storage/atomic_file.hpp"

namespace nfold::batch {

void write_tables(const BatchFolder& folder, const std::vector<input::BatchTarget>& targets) {
  std::vector<std::filesystem::path> results, failures;
  for (const auto& target : targets) {
    results.push_back(folder.result(target.name));
    failures.push_back(folder.failure(target.name));
  }
  write_table(folder.results(), ResultRow::header(), results);
  write_table(folder.failed(), failed_header, failures);
  std::string times = std::string(times_header) + "\n";
  const auto of_targets = read_target_times(folder.running());
  for (const auto& target : targets) {
    const auto time = of_targets.find(target.name);
    if (time != of_targets.end()) times += times_row(target.name, time->second) + "\n";
  }
  storage::write_file_atomically(folder.times(), times);
}

EndedTargets count_ended(const BatchFolder& folder,
                         const std::vector<input::BatchTarget>& targets) {
  EndedTargets ended;
  ended.all = static_cast<std::int64_t>(targets.size());
  for (const auto& target : targets) {
    if (read_row(folder.result(target.name))) {
      ++ended.done;
    } else if (read_row(folder.failure(target.name))) {
      ++ended.failed;
    }
  }
  return ended;
}

std::vector<std::string> describe_remarks(const BatchFolder& folder,
                                          const std::vector<input::BatchTarget>& targets) {
  std::vector<std::string> lines;
  for (const auto& target : targets) {
    const auto line = read_row(folder.result(target.name));
    const auto row = line ? ResultRow::parse(*line) : std::nullopt;
    if (!row || row->get("remark").empty()) continue;
    lines.push_back(fmt::format("target '{}': {}", target.name, row->get("remark")));
  }
  return lines;
}

}  // namespace nfold::batch
