// Limits of the host memory available to this process.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "device/device_memory.hpp"

namespace nfold::device {

/// System limits of one process [bytes]; 2^62: none.
struct ProcessLimits {
  std::int64_t address_space_bytes = std::int64_t{1} << 62U;  ///< ulimit -v
  std::int64_t data_bytes = std::int64_t{1} << 62U;           ///< ulimit -d
};
[[nodiscard]] ProcessLimits process_limits();

/// Returns the host's memory of proc/meminfo within the tightest limit: those of the process, or of
/// a control group that contains it (versions 1 and 2, at every level). root: prefix of all file
/// paths, "/" except in tests.
[[nodiscard]] MemorySize host_memory_within(const ProcessLimits& limits,
                                            const std::filesystem::path& root);

}  // namespace nfold::device
