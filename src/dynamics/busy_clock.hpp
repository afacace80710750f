// What a rank's own share of the steps takes it: for the balance between ranks, never for a bit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

#include "comm/waiting.hpp"

namespace nfold::dynamics {

/// Sums since the engine was made. Waiting for other ranks is not busy. Where the host takes part
/// in each step its clock tells; recorded blocks of a GPU tell of some of their steps, with which
/// every rank times the same ones.
struct BusyTime {
  double busy_seconds = 0;
  std::int64_t timed_steps = 0;  ///< those that busy_seconds are of
  double seconds = 0;            ///< all that steps took, with waits
  std::int64_t steps = 0;
};

/// Times one call that advances.
class BusyClock {
 public:
  void start() {
    began_ = Clock::now();
    waited_before_ = comm::waited_seconds();
  }
  /// is_timed_by_host: else recorded() tells what was busy.
  void stop(std::int64_t steps, bool is_timed_by_host) {
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    sum_.seconds += seconds;
    sum_.steps += steps;
    if (!is_timed_by_host) return;
    sum_.busy_seconds += seconds - (comm::waited_seconds() - waited_before_);
    sum_.timed_steps += steps;
  }
  void recorded(std::int64_t steps, double seconds) {
    sum_.busy_seconds += seconds;
    sum_.timed_steps += steps;
  }
  [[nodiscard]] const BusyTime& sum() const { return sum_; }

 private:
  using Clock = std::chrono::steady_clock;
  BusyTime sum_;
  Clock::time_point began_;
  double waited_before_ = 0;
};

}  // namespace nfold::dynamics
