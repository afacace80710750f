// Limits to waiting: one long wait ends the process, short ones never do.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/waiting.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "comm/rank_record.hpp"

namespace nfold::comm {
namespace {

using namespace std::chrono_literals;
using std::this_thread::sleep_for;

class WaitingTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(WaitingTest, EndsProcessAndNamesPlaceOfLongWait) {
  EXPECT_EXIT(
      {
        const WaitWatch watch;
        set_wait_limit(1s);
        set_wait_phase("while a checkpoint is written", 1200);
        const StallHandler handler([](const StallReport& report) {
          std::fprintf(stderr, "last words of %zu letters, step %ld\n", report.message.size(),
                       static_cast<long>(report.step));
        });
        const Waiting waiting("a sum");
        {
          const Waiting part("a barrier");  // counts as a part of the sum
        }
        sleep_for(1min);
      },
      testing::ExitedWithCode(3),
      "nfold: error: rank 0 waited 1 s in a sum .while a checkpoint is written, after step 1200. "
      "for other ranks: .*partition.wait_limit_seconds\nlast words of [0-9]+ letters, step 1200\n");
}

TEST_F(WaitingTest, EndsEvenIfHandlerHangs) {
  EXPECT_EXIT(
      {
        initialize_own_record(2);
        const WaitWatch watch;
        set_wait_limit(500ms);
        const StallHandler handler([](const StallReport&) { sleep_for(1min); });
        const Waiting waiting("a sum");
        sleep_for(1min);
      },
      testing::ExitedWithCode(3), "rank 2 waited 0.5 s in a sum for other ranks: ");
}

TEST_F(WaitingTest, SparesShortWaitsAndLongWork) {
  EXPECT_EXIT(
      {
        {
          const WaitWatch watch;
          set_wait_limit(4s);  // each wait is a fortieth of it
          for (int i = 0; i < 45; ++i) {
            const Waiting waiting("a sum");
            sleep_for(100ms);
          }
          sleep_for(4500ms);  // not waiting
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

TEST_F(WaitingTest, CountsNestedWaitsOnce) {
  const double before = waited_seconds();
  sleep_for(5ms);
  EXPECT_EQ(waited_seconds(), before);
  const auto began = std::chrono::steady_clock::now();
  {
    const Waiting waiting("a sum");
    const Waiting inner("a broadcast");
    sleep_for(5ms);
    EXPECT_EQ(waited_seconds(), before);  // counted at the end of the wait
  }
  EXPECT_GE(waited_seconds() - before, 0.005);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began;
  EXPECT_LE(waited_seconds() - before, elapsed.count());
}

TEST_F(WaitingTest, HasNoEffectWithoutLimit) {
  EXPECT_EXIT(
      {
        {
          const WaitWatch watch;
          set_wait_limit(500ms);
          {
            const WaitingWithoutLimit any_time;
            const Waiting waiting("a sum");
            sleep_for(1s);
          }
          set_wait_limit(0s);
          const Waiting waiting("a sum");
          sleep_for(1s);
        }
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "^$");
}

}  // namespace
}  // namespace nfold::comm
