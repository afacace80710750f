// Helper thread: first call, repetition and stop.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/periodic_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace nfold::core {
namespace {

using namespace std::chrono_literals;

TEST(PeriodicThread, StopsWithoutWaitingForTheInterval) {
  std::atomic<int> calls = 0;
  const auto began = std::chrono::steady_clock::now();
  {
    const PeriodicThread thread(1h, PeriodicThread::FirstCall::after_interval, [&] { ++calls; });
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, 10min);
  EXPECT_EQ(calls, 0);
}

TEST(PeriodicThread, FirstCallMayBeAtOnce) {
  std::atomic<int> calls = 0;
  {
    const PeriodicThread thread(1h, PeriodicThread::FirstCall::at_once, [&] { ++calls; });
  }
  EXPECT_EQ(calls, 1) << "the destructor waits for a call in progress";
}

TEST(PeriodicThread, RepeatsItsCall) {
  std::atomic<int> calls = 0;
  const PeriodicThread thread(1ms, PeriodicThread::FirstCall::after_interval, [&] { ++calls; });
  for (int k = 0; k < 12'000 && calls < 3; ++k) std::this_thread::sleep_for(10ms);
  EXPECT_GE(calls, 3);
}

}  // namespace
}  // namespace nfold::core
