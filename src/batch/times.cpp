// Times of targets, from the first to the last ledger row of each session.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <utility>
#include <vector>

#include "batch/ledger.hpp"
#include "core/csv.hpp"
#include "core/document/scalars.hpp"

namespace nfold::batch {
namespace {

enum Column : std::size_t { time, job, event, target, rank = 8, host = 9, space = 10 };

struct OpenStart {
  double began = 0;
  std::set<std::string> ranks;
};

}  // namespace

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
  std::map<std::string, TargetTime> times;
  std::map<std::string, OpenStart> open;      // by target
  std::map<std::string, std::string> job_of;  // by target
  for (const auto& line : read_ledger_lines(running)) {
    const auto fields = core::csv_fields(line);
    if (fields.size() <= space) continue;
    const double now = parse_utc(fields[time]);
    if (now < 0) continue;  // the header, or a truncated line
    auto& one = times[fields[target]];
    auto& start = open[fields[target]];
    if (fields[event] == "start") {
      if (std::exchange(job_of[fields[target]], fields[job]) != fields[job]) {
        ++one.starts;
        start = {};  // a start of another job without an end was killed
      }
      if (start.ranks.empty()) start.began = now;
      start.ranks.insert(fields[rank]);
      one.ranks = static_cast<int>(start.ranks.size());
      one.space = fields[space];
      one.host = fields[host];
      one.ended.clear();
    } else if (!start.ranks.empty()) {
      one.seconds += std::max(0.0, now - start.began);
      one.ended = fields[time];
      start = {};
    }
  }
  return times;
}

std::string times_row(const std::string& target, const TargetTime& time) {
  return core::csv_row(target, time.space, time.host, time.ranks, time.starts,
                       fmt::format("{:.3f}", time.seconds), time.ended);
}

}  // namespace nfold::batch
