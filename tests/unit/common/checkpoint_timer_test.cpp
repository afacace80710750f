// Checkpoint timer: interval, no overlap, and time reserved for the last checkpoint.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/checkpoint_timer.hpp"

#include <gtest/gtest.h>

namespace nfold::common {
namespace {

class CheckpointTiming : public testing::Test {
 protected:
  [[nodiscard]] bool is_due(const CheckpointTimer& timer) {
    return timer.read_clocks(1, log_).checkpoint_is_due;
  }
  void write(CheckpointTimer& timer, double seconds) {
    timer.begin();
    now_ += seconds;
    timer.end(seconds);
  }

  double now_ = 100;
  telemetry::StepClock clock_{[this] { return now_; }};
  job::RunLog log_;
};

TEST_F(CheckpointTiming, IntervalStartsWithWrite) {
  CheckpointTimer timer(clock_, 1, 0);
  timer.begin();
  now_ += 20;
  EXPECT_FALSE(is_due(timer));
  timer.end(20);
  EXPECT_EQ(timer.last_seconds(), 20);
  now_ += 39.5;
  EXPECT_FALSE(is_due(timer));
  now_ += 0.5;
  EXPECT_TRUE(is_due(timer));
}

TEST_F(CheckpointTiming, NotDueDuringWrite) {
  CheckpointTimer timer(clock_, 1, 0);
  timer.begin();
  now_ += 1000;
  EXPECT_FALSE(is_due(timer));
  timer.end(1000);
  EXPECT_FALSE(is_due(timer));
  now_ += 29;
  EXPECT_FALSE(is_due(timer));
  now_ += 1;
  EXPECT_TRUE(is_due(timer));
}

TEST_F(CheckpointTiming, NotDueWithoutInterval) {
  CheckpointTimer timer(clock_, 0, 0);
  write(timer, 1);
  now_ += 1e6;
  EXPECT_FALSE(is_due(timer));
}

TEST_F(CheckpointTiming, ReservesTimeForLastCheckpoint) {
  CheckpointTimer timer(clock_, 0, 1000);
  clock_.begin_block();
  now_ += 1;
  clock_.end_block(1);
  write(timer, 100);
  now_ = 100 + 600;
  EXPECT_FALSE(timer.read_clocks(1, log_).time_is_up);
  now_ = 100 + 690;  // the limit less 3 x 100 s and 2 % is 680 s
  EXPECT_TRUE(timer.read_clocks(1, log_).time_is_up);
}

TEST_F(CheckpointTiming, ReserveExcludesWaitForSteps) {
  CheckpointTimer timer(clock_, 0, 1000);
  clock_.begin_block();
  now_ += 1;
  clock_.end_block(1);
  timer.begin();
  now_ += 300;
  timer.end(10);
  EXPECT_EQ(timer.last_seconds(), 300);
  now_ = 100 + 940;
  EXPECT_FALSE(timer.read_clocks(1, log_).time_is_up);
  now_ = 100 + 960;
  EXPECT_TRUE(timer.read_clocks(1, log_).time_is_up);
}

TEST_F(CheckpointTiming, IsFastAfterShortWrites) {
  CheckpointTimer timer(clock_, 1, 0);
  now_ += 1;
  EXPECT_FALSE(timer.is_fast());
  write(timer, 0.1);
  EXPECT_TRUE(timer.is_fast());
  write(timer, 0.6);
  EXPECT_FALSE(timer.is_fast());
}

}  // namespace
}  // namespace nfold::common
