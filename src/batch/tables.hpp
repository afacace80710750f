// Tables of a batch, written from the files of each target and from its ledger.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "batch/folder.hpp"
#include "input/batch_file.hpp"

namespace nfold::batch {

/// Writes results.csv, failed.csv and times.csv, in the order of targets. Throws FileError.
void write_tables(const BatchFolder& folder, const input::BatchFile& list);

/// Writes results.h5 of a list of chains or of slabs, nothing for other lists: a dataset for each
/// column of results.csv, and for chains the distances by separation along the chain, for slabs the
/// density profiles of the first species. Those of target k stand from distance_start[k] to
/// distance_start[k + 1], or from profile_start[k] to profile_start[k + 1]. Throws FileError.
void write_results_hdf5(const BatchFolder& folder, const input::BatchFile& list);

/// Returns "target 'NAME': REMARK" for each target whose result has a remark.
[[nodiscard]] std::vector<std::string> describe_remarks(
    const BatchFolder& folder, const std::vector<input::BatchTarget>& targets);

/// Times of one target over all sessions.
struct TargetTime {
  int ranks = 1;                   ///< Ranks of the last session.
  int starts = 0;                  ///< Number of sessions that worked on it.
  double seconds = 0;              ///< Wall time. Excludes killed sessions.
  std::string space, host, ended;  ///< Last session. ended: UTC, empty while running.
};

inline constexpr std::string_view times_header = "target,space,host,ranks,starts,seconds,ended";

/// Reads the times by target from running.csv. Empty without the file. Times of interleaved targets
/// overlap.
[[nodiscard]] std::map<std::string, TargetTime> read_target_times(
    const std::filesystem::path& running);
/// Formats a row of times.csv.
[[nodiscard]] std::string times_row(const std::string& target, const TargetTime& time);
/// Converts "2026-11-24T12:00:00.250Z" to seconds since 1970. -1 for another text.
[[nodiscard]] double parse_utc(const std::string& text);

}  // namespace nfold::batch
