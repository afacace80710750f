// Time that a rank computes in steps: input of load balancing, never of the trajectory.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstdint>

#include "comm/waiting.hpp"

namespace nfold::engine {

/// Sums since the engine was constructed. Waiting for other ranks is not busy time. If the host
/// takes part in each step, its clock measures busy time; on a GPU some captured blocks are timed,
/// and every rank times the same ones.
struct BusyTime {
  double busy_seconds = 0;
  std::int64_t timed_steps = 0;  ///< number of steps timed in busy_seconds
  double seconds = 0;            ///< wall time of all steps, including waits
  std::int64_t steps = 0;
};

/// Times one call of Engine::advance.
class BusyClock {
 public:
  void start() {
    began_ = Clock::now();
    waited_before_ = comm::waited_seconds();
  }
  /// is_timed_by_host: true if the host clock measures busy time; otherwise add_busy() adds it.
  void stop(std::int64_t steps, bool is_timed_by_host) {
    const double seconds = std::chrono::duration<double>(Clock::now() - began_).count();
    sum_.seconds += seconds;
    sum_.steps += steps;
    if (!is_timed_by_host) return;
    sum_.busy_seconds += seconds - (comm::waited_seconds() - waited_before_);
    sum_.timed_steps += steps;
  }
  void add_busy(std::int64_t steps, double seconds) {
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

}  // namespace nfold::engine
