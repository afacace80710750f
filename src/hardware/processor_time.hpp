// How long this process has had processors, all its threads together, and what a work took.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

namespace nfold::hardware {

/// Seconds since it began; 0 where the system does not tell.
[[nodiscard]] inline double processor_seconds() {
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// What passed since it was made.
class OwnTime {
 public:
  /// By the wall clock [s]; where one thread of the process is busy no more than the time that it
  /// had a processor, which other programs do not lengthen.
  [[nodiscard]] double seconds(bool one_thread_is_busy) const {
    const double wall = std::chrono::duration<double>(Clock::now() - began_).count();
    return one_thread_is_busy ? std::min(wall, processor_seconds() - used_) : wall;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point began_ = Clock::now();
  double used_ = processor_seconds();
};

}  // namespace nfold::hardware
