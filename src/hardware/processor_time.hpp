// How long this process has had processors, all its threads together.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ctime>

namespace nfold::hardware {

/// Seconds since it began; 0 where the system does not tell.
[[nodiscard]] inline double processor_seconds() {
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace nfold::hardware
