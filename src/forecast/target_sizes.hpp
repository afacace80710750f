// Sizes of all targets of a list, fast: by threads, or as they were found the last time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "batch/target_size.hpp"
#include "input_files/batch_file.hpp"

namespace nfold::forecast {

struct SizedTarget {
  batch::TargetSize size;
  std::string protocol;  ///< batch::protocol_in_words()
};

/// (targets) As batch::size_of() has them. Targets that differ in their names alone are read once.
/// Sizes of a list are kept beside the history, if there is one, and taken from there for each
/// target that says the same, while its files, what is asked of all targets, overrides and program
/// are the same.
[[nodiscard]] std::vector<SizedTarget> sizes_of(const input_files::BatchFile& list,
                                                const std::vector<std::string>& overrides);

}  // namespace nfold::forecast
