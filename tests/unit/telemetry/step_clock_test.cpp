// Median step time and time limit, with a clock that the test moves.
// SPDX-License-Identifier: BSD-3-Clause

#include "core/telemetry/step_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace nfold::telemetry {
namespace {

struct MovedClock {
  double seconds = 100;  // a clock need not start at 0
  StepClock clock{[this] { return seconds; }};

  void block(std::int64_t steps, double seconds_per_step) {
    clock.begin_block();
    seconds += static_cast<double>(steps) * seconds_per_step;
    clock.end_block(steps);
  }
};

TEST(StepClock, IsEmptyBeforeTheFirstBlock) {
  MovedClock moved;
  EXPECT_EQ(moved.clock.median_seconds_per_step(), 0);
  EXPECT_EQ(moved.clock.elapsed_seconds(), 0);
  EXPECT_TRUE(moved.clock.time_left_for(1'000'000, 1, 0));
  moved.seconds += 2;
  EXPECT_FALSE(moved.clock.time_left_for(1, 1, 0));
}

TEST(StepClock, SlowBlockDoesNotEndTheRun) {
  MovedClock moved;
  for (int i = 0; i < 20; ++i) moved.block(128, 0.0078125);  // a second each
  moved.block(128, 1);                                       // a file system that slept for 128 s
  EXPECT_EQ(moved.clock.median_seconds_per_step(), 0.0078125);
  EXPECT_EQ(moved.clock.elapsed_seconds(), 148);
  // By the last block only 12 steps would fit into the 12 s that are left; by the median 1536.
  EXPECT_EQ(moved.clock.steps_that_fit(100'000, 160, 0), 1536);
  EXPECT_TRUE(moved.clock.time_left_for(1536, 160, 0));
  EXPECT_FALSE(moved.clock.time_left_for(1537, 160, 0));
}

TEST(StepClock, LongBlocksWeighMore) {
  MovedClock moved;
  moved.block(1000, 0.25);
  for (int i = 0; i < 10; ++i) moved.block(1, 4);
  EXPECT_EQ(moved.clock.median_seconds_per_step(), 0.25);
}

TEST(StepClock, FollowsSlowerRuns) {
  MovedClock moved;
  for (int i = 0; i < 1000; ++i) moved.block(10, 0.5);
  for (int i = 0; i < 60; ++i) moved.block(10, 2);
  EXPECT_EQ(moved.clock.median_seconds_per_step(), 2);
}

TEST(StepClock, OutputCountsForTheLimitOnly) {
  MovedClock moved;
  moved.block(10, 0.5);
  moved.seconds += 50;
  moved.block(10, 0.5);
  EXPECT_EQ(moved.clock.median_seconds_per_step(), 0.5);
  EXPECT_EQ(moved.clock.elapsed_seconds(), 60);
}

TEST(StepClock, KeepsAReserve) {
  MovedClock moved;
  moved.block(10, 1);
  EXPECT_EQ(moved.clock.steps_that_fit(100, 20, 0), 10);
  EXPECT_EQ(moved.clock.steps_that_fit(100, 20, 4), 6);
  EXPECT_EQ(moved.clock.steps_that_fit(3, 20, 4), 3);
  EXPECT_EQ(moved.clock.steps_that_fit(100, 20, 30), 0);
  EXPECT_EQ(moved.clock.steps_that_fit(100, 0, 30), 100);  // no limit
}

TEST(StepClock, IgnoresEmptyBlocks) {
  MovedClock moved;
  moved.clock.begin_block();
  moved.seconds += 5;
  moved.clock.end_block(0);
  EXPECT_EQ(moved.clock.median_seconds_per_step(), 0);
}

TEST(SteadySeconds, NeverDecreases) {
  const auto now = steady_seconds();
  const double first = now();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(now() - first, 2e-3);
}

}  // namespace
}  // namespace nfold::telemetry
