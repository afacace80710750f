// Sizes of all targets of a list, computed by several threads or taken from the cache.
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

/// (targets) Returns batch::size_of() of each target. Targets that differ in their names alone are
/// read once. Sizes of a list are cached beside the history, if there is one. A cached size is used
/// while the target's entry, its files, the list's common settings, the overrides and the program
/// are unchanged.
[[nodiscard]] std::vector<SizedTarget> sizes_of(const input_files::BatchFile& list,
                                                const std::vector<std::string>& overrides);

}  // namespace nfold::forecast
