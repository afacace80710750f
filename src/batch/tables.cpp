// Collection of the rows of all targets, and their times from ledger rows.
// SPDX-License-Identifier: BSD-3-Clause

#include "batch/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "batch/ledger.hpp"
#include "core/csv.hpp"
#include "core/document/scalars.hpp"
#include "core/storage/atomic_file.hpp"
#include "io/results_file.hpp"
#include "io/tables_file.hpp"

namespace nfold::batch {

void write_tables(const BatchFolder& folder, const input::BatchFile& list) {
  const auto& targets = list.targets;
  const auto columns = results_columns(list);
  std::string results = std::string(columns) + "\n";
  std::vector<std::filesystem::path> failures;
  for (const auto& target : targets) {
    const auto row = ResultRow::read(folder.result(target.name));
    if (row) results += row->line(columns) + "\n";
    failures.push_back(folder.failure(target.name));
  }
  storage::write_file_atomically(folder.results(), results);
  write_table(folder.failed(), failed_header, failures);
  std::string times = std::string(times_header) + "\n";
  const auto of_targets = read_target_times(folder.running());
  for (const auto& target : targets) {
    const auto time = of_targets.find(target.name);
    if (time != of_targets.end()) times += times_row(target.name, time->second) + "\n";
  }
  storage::write_file_atomically(folder.times(), times);
}

void write_chain_results(const BatchFolder& folder, const input::BatchFile& list) {
  constexpr std::array<std::string_view, 6> texts{"target",  "protocol", "space",
                                                  "verdict", "reason",   "remark"};
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  const auto names = core::split_csv_row(chains_header);
  std::vector<io::ResultColumn> columns;
  for (const auto& name : names) {
    columns.push_back({name, std::vector<double>()});
    if (std::ranges::find(texts, name) != texts.end()) {
      columns.back().values = std::vector<std::string>();
    }
  }
  std::vector<double> distance, error;
  std::vector<std::int64_t> start{0};
  const auto append = [&](const std::string& target, const char* table, std::vector<double>& to) {
    const auto values = io::read_table(folder.tables(target), fmt::format("chain/chain/{}", table));
    if (values) to.insert(to.end(), values->begin(), values->end());
  };
  for (const auto& target : list.targets) {
    const auto row = ResultRow::read(folder.result(target.name));
    if (!row) continue;
    for (auto& column : columns) {
      const auto text = row->get(column.name);
      if (auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
        numbers->push_back(document::to_real(text).value_or(not_known));
      } else {
        std::get<std::vector<std::string>>(column.values).push_back(text);
      }
    }
    append(target.name, "distance", distance);
    append(target.name, "distance_error", error);
    start.push_back(std::ssize(distance));
  }
  columns.push_back({"distance_start", std::move(start)});
  columns.push_back({"distance_nm", std::move(distance)});
  columns.push_back({"distance_error_nm", std::move(error)});
  io::write_results(folder.results_hdf5(), columns);
}

std::vector<std::string> describe_remarks(const BatchFolder& folder,
                                          const std::vector<input::BatchTarget>& targets) {
  std::vector<std::string> lines;
  for (const auto& target : targets) {
    const auto row = ResultRow::read(folder.result(target.name));
    if (!row || row->get("remark").empty()) continue;
    lines.push_back(fmt::format("target '{}': {}", target.name, row->get("remark")));
  }
  return lines;
}

double parse_utc(const std::string& text) {
  std::tm parts{};
  const char* const rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr || text.back() != 'Z') return -1;
  const std::string fraction(rest, text.c_str() + text.size() - 1);
  const auto below_one = fraction.empty() ? 0.0 : document::to_real("0" + fraction).value_or(-1);
  if (below_one < 0) return -1;
  return static_cast<double>(timegm(&parts)) + below_one;
}

std::map<std::string, TargetTime> read_target_times(const std::filesystem::path& running) {
  struct OpenStart {
    double began = 0;
    std::set<std::string> ranks;
    std::string job;
  };
  std::map<std::string, TargetTime> times;
  std::map<std::string, OpenStart> open;  // by target
  for (const auto& entry : read_ledger(running)) {
    const double now = parse_utc(entry.time);
    if (now < 0) continue;
    auto& one = times[entry.target];
    auto& start = open[entry.target];
    if (entry.event == "start") {
      if (start.job != entry.job) {
        ++one.starts;
        start = {0, {}, entry.job};  // a start of another job without an end was killed
      }
      if (start.ranks.empty()) start.began = now;
      start.ranks.insert(entry.rank);
      one.ranks = static_cast<int>(start.ranks.size());
      one.space = entry.space;
      one.host = entry.host;
      one.ended.clear();
    } else if (!start.ranks.empty()) {
      one.seconds += std::max(0.0, now - start.began);
      one.ended = entry.time;
      start.ranks.clear();
    }
  }
  return times;
}

std::string times_row(const std::string& target, const TargetTime& time) {
  return core::csv_row(target, time.space, time.host, time.ranks, time.starts,
                       fmt::format("{:.3f}", time.seconds), time.ended);
}

}  // namespace nfold::batch
