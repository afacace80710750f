// Watchdog that ends a process without heartbeats.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/watchdog.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace nfold::comm {
namespace {

using namespace std::chrono_literals;

TEST(Watchdog, EndsStalledProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const Watchdog watchdog(1s, [] { std::fputs("nfold: error: rank 1 hangs\n", stderr); });
        std::this_thread::sleep_for(1min);
      },
      testing::ExitedWithCode(3), "nfold: error: rank 1 hangs");
}

TEST(Watchdog, SparesProcessWithHeartbeats) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        {
          Watchdog watchdog(4s, [] { std::fputs("not to be said", stderr); });
          for (int i = 0; i < 50; ++i) {
            std::this_thread::sleep_for(100ms);
            watchdog.record_heartbeat();
          }
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace nfold::comm
