// Processor time of this process, summed over its threads, and time of a task.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>

namespace nfold::hardware {

/// Returns the processor time since the start of the process [s]; 0 if the system does not report
/// it.
[[nodiscard]] inline double processor_seconds() {
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

/// Returns the time since the start of the process [s], to a hundredth; 0 if it is unknown.
[[nodiscard]] inline double process_age_seconds() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  // The name of the program, in brackets, may have spaces; 19 fields lie between it and the start.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  for (int skipped = 0; skipped < 19; ++skipped) fields >> field;
  double ticks = 0;
  timespec now{};
  if (!(fields >> ticks) || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const double began = ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
  return std::max(
      0.0, static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - began);
}

/// Time since construction.
class ProcessTimer {
 public:
  /// Returns the wall time [s]. If only one thread of the process is busy, at most its processor
  /// time, which other programs do not lengthen.
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
