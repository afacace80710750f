// Watchdog that ends a stalled process, since hanging ranks cannot notify each other.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace nfold::comm {

/// Thread that expects a heartbeat. A stalled process or GPU leaves the others in MPI or driver
/// calls that never return; then this thread calls last_words and ends its own process with code 3,
/// and mpirun ends the others.
class Watchdog {
 public:
  Watchdog(std::chrono::seconds patience, std::function<void()> last_words)
      : patience_(patience), last_words_(std::move(last_words)), thread_([this] { watch(); }) {}
  ~Watchdog() {
    {
      const std::scoped_lock lock(mutex_);
      is_done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Records a heartbeat.
  void record_heartbeat() {
    const std::scoped_lock lock(mutex_);
    ++heartbeats_;
  }

 private:
  void watch() {
    constexpr int checks = 8;  // polls per patience, so that it reacts soon after its end
    std::unique_lock lock(mutex_);
    std::int64_t before = heartbeats_;
    for (int missed = 0; missed < checks; ++missed) {
      const auto pause = std::chrono::duration_cast<std::chrono::milliseconds>(patience_) / checks;
      if (changed_.wait_for(lock, pause, [this] { return is_done_; })) return;
      if (heartbeats_ != before) missed = -1;
      before = heartbeats_;
    }
    last_words_();
    std::_Exit(3);
  }

  std::chrono::seconds patience_;
  std::function<void()> last_words_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t heartbeats_ = 0;
  bool is_done_ = false;
  std::thread thread_;  // declared last: it uses the others
};

}  // namespace nfold::comm
