// Tables of a batch, written from the files of each target.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/folder.hpp"
#include "input/batch_file.hpp"

namespace nfold::batch {

/// Writes results.csv, failed.csv and times.csv, in the order of targets. Throws FileError.
void write_tables(const BatchFolder& folder, const std::vector<input::BatchTarget>& targets);

/// Counts of all targets, of those with a result and of those that failed.
struct EndedTargets {
  std::int64_t all = 0, done = 0, failed = 0;
};
[[nodiscard]] EndedTargets count_ended(const BatchFolder& folder,
                                       const std::vector<input::BatchTarget>& targets);

/// Returns "target 'NAME': REMARK" for each target whose result has a remark.
[[nodiscard]] std::vector<std::string> describe_remarks(
    const BatchFolder& folder, const std::vector<input::BatchTarget>& targets);

}  // namespace nfold::batch
