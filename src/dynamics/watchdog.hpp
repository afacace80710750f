// Ends the process when nothing moves any more: ranks that hang cannot tell each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace nfold::dynamics {

/// A thread that waits to be fed. A process that stands still, or a GPU that does, leaves the
/// others in calls of MPI or of the driver that never return; then this prints what it was told and
/// ends its own process, upon which mpirun ends the others.
class Watchdog {
 public:
  Watchdog(std::string message, std::chrono::seconds patience)
      : message_(std::move(message)), patience_(patience), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      is_done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Something moved.
  void feed() {
    const std::lock_guard lock(mutex_);
    ++meals_;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!is_done_) {
      const std::int64_t before = meals_;
      if (changed_.wait_for(lock, patience_, [this] { return is_done_; })) return;
      if (meals_ != before) continue;
      fmt::print(stderr, "nfold: error: {}\n", message_);
      std::fflush(stderr);
      std::_Exit(3);
    }
  }

  std::string message_;
  std::chrono::seconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t meals_ = 0;
  bool is_done_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace nfold::dynamics
