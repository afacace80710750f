// Checkpoints by the clock: an interval apart, none while one is written, and time for the last.
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/checkpoint_pace.hpp"

#include <gtest/gtest.h>

namespace nfold::setup {
namespace {

class Pace : public testing::Test {
 protected:
  [[nodiscard]] bool is_due(const CheckpointPace& pace) {
    return pace.say(1, log_).checkpoint_is_due;
  }
  void written(CheckpointPace& pace, double seconds) {
    pace.begin();
    now_ += seconds;
    pace.end();
  }

  double now_ = 100;
  telemetry::StepClock clock_{[this] { return now_; }};
  job::RunLog log_;
};

TEST_F(Pace, AnIntervalLiesBetweenBeginnings) {
  CheckpointPace pace(clock_, 1, 0);
  pace.begin();
  now_ += 20;
  EXPECT_FALSE(is_due(pace));
  pace.end();
  EXPECT_EQ(pace.last_seconds(), 20);
  now_ += 39.5;
  EXPECT_FALSE(is_due(pace));
  now_ += 0.5;
  EXPECT_TRUE(is_due(pace));
}

TEST_F(Pace, NoneIsDueWhileOneIsWritten) {
  CheckpointPace pace(clock_, 1, 0);
  pace.begin();
  now_ += 1000;
  EXPECT_FALSE(is_due(pace));
  pace.end();
  EXPECT_FALSE(is_due(pace));
  now_ += 29;
  EXPECT_FALSE(is_due(pace));
  now_ += 1;
  EXPECT_TRUE(is_due(pace));
}

TEST_F(Pace, WithoutAnIntervalNoneIsDue) {
  CheckpointPace pace(clock_, 0, 0);
  written(pace, 1);
  now_ += 1e6;
  EXPECT_FALSE(is_due(pace));
}

TEST_F(Pace, LeavesTimeForTheLastOne) {
  CheckpointPace pace(clock_, 0, 1000);
  clock_.begin_block();
  now_ += 1;
  clock_.end_block(1);
  written(pace, 100);
  now_ = 100 + 600;
  EXPECT_FALSE(pace.say(1, log_).time_is_up);
  now_ = 100 + 690;  // three times the longest, and 2 %
  EXPECT_TRUE(pace.say(1, log_).time_is_up);
}

TEST_F(Pace, WhatWaitedForStepsIsNoTimeThatTheLastOneNeeds) {
  CheckpointPace pace(clock_, 0, 1000);
  clock_.begin_block();
  now_ += 1;
  clock_.end_block(1);
  pace.begin();
  now_ += 300;
  pace.end(10);
  EXPECT_EQ(pace.last_seconds(), 300);
  now_ = 100 + 940;
  EXPECT_FALSE(pace.say(1, log_).time_is_up);
  now_ = 100 + 960;
  EXPECT_TRUE(pace.say(1, log_).time_is_up);
}

TEST_F(Pace, IsSwiftWhereNoneTookLong) {
  CheckpointPace pace(clock_, 1, 0);
  now_ += 1;
  EXPECT_FALSE(pace.is_swift());
  written(pace, 0.1);
  EXPECT_TRUE(pace.is_swift());
  written(pace, 0.6);
  EXPECT_FALSE(pace.is_swift());
}

}  // namespace
}  // namespace nfold::setup
