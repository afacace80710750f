// What the system lets this process use of the host's memory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "device/device_memory.hpp"

namespace nfold::device {

/// Limits that the system sets to one process [bytes]; 2^62: none.
struct ProcessLimits {
  std::int64_t address_space_bytes = std::int64_t{1} << 62U;  ///< ulimit -v
  std::int64_t data_bytes = std::int64_t{1} << 62U;           ///< ulimit -d
};
[[nodiscard]] ProcessLimits process_limits();

/// The host's memory by proc/meminfo, and what the tightest limit leaves of it: those of the
/// process, or of a control group that it is in (versions 1 and 2, at every level). Files are
/// looked for below root, "/" but in tests.
[[nodiscard]] MemorySize host_memory_within(const ProcessLimits& limits,
                                            const std::filesystem::path& root);

}  // namespace nfold::device
