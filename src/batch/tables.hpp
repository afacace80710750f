// The tables of a batch, made anew from what each target left.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/folder.hpp"
#include "input_files/batch_file.hpp"

namespace nfold::batch {

/// results.csv, failed.csv and times.csv, in the order of the targets. storage::FileError.
void write_tables(const BatchFolder& folder, const std::vector<input_files::BatchTarget>& targets);

/// Targets with a result, and with a reason.
struct EndedTargets {
  std::int64_t all = 0, done = 0, failed = 0;
};
[[nodiscard]] EndedTargets count_ended(const BatchFolder& folder,
                                       const std::vector<input_files::BatchTarget>& targets);

/// "target 'NAME': REMARK" of each target whose result has one.
[[nodiscard]] std::vector<std::string> remarks_in_words(
    const BatchFolder& folder, const std::vector<input_files::BatchTarget>& targets);

}  // namespace nfold::batch
