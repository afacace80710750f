// Watchdog that ends a stalled process, since hanging ranks cannot notify each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <utility>

#include "core/periodic_thread.hpp"

namespace nfold::comm {

/// Thread that expects a heartbeat. A stalled process or GPU leaves the others in MPI or driver
/// calls that never return; then this thread calls last_words and ends its own process with code 3,
/// and mpirun ends the others.
class Watchdog {
 public:
  Watchdog(std::chrono::seconds patience, std::function<void()> last_words)
      : last_words_(std::move(last_words)),
        thread_(std::chrono::milliseconds(patience) / checks,
                core::PeriodicThread::FirstCall::after_interval, [this] { check(); }) {}

  /// Records a heartbeat.
  void record_heartbeat() { ++heartbeats_; }

 private:
  static constexpr int checks = 8;  // per patience, so that it reacts soon after its end

  void check() {
    const std::int64_t heartbeats = heartbeats_;
    missed_ = heartbeats == before_ ? missed_ + 1 : 0;
    before_ = heartbeats;
    if (missed_ < checks) return;
    last_words_();
    std::_Exit(3);
  }

  std::function<void()> last_words_;
  std::atomic<std::int64_t> heartbeats_ = 0;
  std::int64_t before_ = 0;      // heartbeats of the last check
  int missed_ = 0;               // checks since the last heartbeat
  core::PeriodicThread thread_;  // declared last: it uses the others
};

}  // namespace nfold::comm
