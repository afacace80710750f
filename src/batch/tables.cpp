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
namespace {

/// Numbers of all targets, one after another, from a table of each.
struct Curve {
  std::string column, table;
  std::vector<double> values;
};

}  // namespace

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

void write_results_hdf5(const BatchFolder& folder, const input::BatchFile& list) {
  const bool are_slabs = list.only_protocol == input::Protocol::phase;
  if (!are_slabs && list.only_protocol != input::Protocol::chain) return;
  constexpr std::array<std::string_view, 8> texts{"target", "protein", "client", "protocol",
                                                  "space",  "verdict", "reason", "remark"};
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  std::vector<io::ResultColumn> columns;
  for (const auto& name : core::split_csv_row(protocol_columns(*list.only_protocol))) {
    columns.push_back({name, std::vector<double>()});
    if (std::ranges::find(texts, name) != texts.end()) {
      columns.back().values = std::vector<std::string>();
    }
  }
  std::vector<Curve> curves;
  if (are_slabs) {
    curves.push_back({"profile_position_nm", "slab/coexistence/position", {}});
    curves.push_back({"profile_mg_ml", "slab/coexistence/density", {}});
    curves.push_back({"profile_error_mg_ml", "slab/coexistence/density_error", {}});
  } else {
    curves.push_back({"distance_nm", "chain/chain/distance", {}});
    curves.push_back({"distance_error_nm", "chain/chain/distance_error", {}});
  }
  std::vector<std::int64_t> start{0};
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
    // The first curve has one number for each point; the others may have rows of other species.
    std::ptrdiff_t points = 0;
    for (auto& curve : curves) {
      const auto values = io::read_table(folder.tables(target.name), curve.table);
      if (!values) continue;
      if (&curve == &curves.front()) points = std::ssize(*values);
      const auto own = std::min(points, std::ssize(*values));
      curve.values.insert(curve.values.end(), values->begin(), values->begin() + own);
    }
    start.push_back(std::ssize(curves.front().values));
  }
  columns.push_back({are_slabs ? "profile_start" : "distance_start", std::move(start)});
  for (auto& curve : curves) columns.push_back({curve.column, std::move(curve.values)});
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
