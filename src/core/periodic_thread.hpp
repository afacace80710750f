// Helper thread that repeats a function at intervals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace nfold::core {

/// Thread that calls a function at intervals until its destructor, which waits for a call in
/// progress. As a member it is declared last, since the function uses the members before it. The
/// function must not throw, and must not call MPI.
class PeriodicThread {
 public:
  enum class FirstCall { at_once, after_interval };

  PeriodicThread(std::chrono::milliseconds interval, FirstCall first_call,
                 std::function<void()> call);
  ~PeriodicThread();
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last, since it uses the others
};

}  // namespace nfold::core
