// times.csv of a batch: how long each target took, and where. Read off running.csv.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace nfold::batch {

/// Of one target, over all starts of the program.
struct TargetTime {
  int ranks = 1;                   ///< at the last start
  int starts = 0;                  ///< of the program in which it was worked on
  double seconds = 0;              ///< wall clock; a start that was killed counts for nothing
  std::string space, host, ended;  ///< of the last; ended: UTC, empty while it is worked on
};

inline constexpr std::string_view times_header = "target,space,host,ranks,starts,seconds,ended";

/// By target; empty without the file. Targets that are worked on in turn share their seconds.
[[nodiscard]] std::map<std::string, TargetTime> times_of(const std::filesystem::path& running);

/// A row of times.csv.
[[nodiscard]] std::string line_of(const std::string& target, const TargetTime& time);

/// Seconds since 1970 of "2026-11-24T12:00:00.250Z", as running.csv has it; -1 of another text.
[[nodiscard]] double seconds_of_time(const std::string& text);

}  // namespace nfold::batch
