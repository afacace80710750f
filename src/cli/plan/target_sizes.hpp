// Sizes of all targets of a list, computed by several threads or taken from the cache.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "batch/target_size.hpp"
#include "input/batch_file.hpp"

namespace nfold::plan {

/// Memory of a target on one rank, of its largest part [bytes].
struct TargetMemory {
  std::int64_t device = 0, host = 0;              ///< on a GPU
  std::int64_t core = 0;                          ///< on a core
  std::int64_t least_device = 0, least_core = 0;  ///< arrays that cannot move to the host
  std::int64_t limit = 0;  ///< limit of those arrays by devices.memory_limit_gb; 0: none
};

struct SizedTarget {
  batch::TargetSize size;
  std::string protocol;  ///< batch::describe_protocol()
  TargetMemory memory;
};

/// (targets) Returns batch::read_target_size() of each target and its memory. Targets that differ
/// in their names alone are read once. Sizes of a list are cached beside the history, if there is
/// one, but for targets that cannot begin. A cached size is used while the target's entry, its
/// files, the list's common settings, the overrides and the program are unchanged.
[[nodiscard]] std::vector<SizedTarget> find_sizes(const input::BatchFile& list,
                                                  const std::vector<std::string>& overrides);

}  // namespace nfold::plan
