// Helper thread that repeats a function at intervals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace nfold::core {

/// Thread that calls a function at intervals until its destructor, which waits for a call in
/// progress. As a member it is declared last, since the function uses the members before it. The
/// function must not throw, and must not call MPI.
class PeriodicThread {
 public:
  enum class FirstCall { at_once, after_interval };

  PeriodicThread(std::chrono::milliseconds interval, FirstCall first_call,
                 std::function<void()> call)
      : thread_([this, interval, first_call, call = std::move(call)](const std::stop_token& stop) {
          if (first_call == FirstCall::at_once) call();
          while (!is_stopped_within(interval, stop)) call();
        }) {}
  ~PeriodicThread() = default;  // std::jthread requests the stop and joins
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

 private:
  /// Waits for the interval. Returns true at once if a stop is requested.
  bool is_stopped_within(std::chrono::milliseconds interval, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return wake_.wait_for(lock, stop, interval, [&stop] { return stop.stop_requested(); });
  }

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last, since it uses the others
};

}  // namespace nfold::core
