// Status files that beat, stand still, or are another attempt's.
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pulse.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace nfold::launch {
namespace {

namespace fs = std::filesystem;

class PulseTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("nfold_pulse_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "a" / "run");
    fs::create_directories(folder_ / "b" / "fold");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& state, int step, int first = 0,
             const std::string& written = "") const {
    std::ofstream(folder_ / name) << "state: " << state << "\nstep: " << step
                                  << "\nfirst_step: " << first << "\nwritten: " << written << "\n";
  }
  [[nodiscard]] WatchedFolder run() const { return {folder_ / "x.status", folder_, false}; }
  [[nodiscard]] WatchedFolder batch() const { return {folder_ / "batch.status", folder_, true}; }

  fs::path folder_;
};

TEST_F(PulseTest, WhatStoodThereBeforeSaysNothing) {
  write("x.status", "running", 500);
  Pulse pulse(run(), 0);
  pulse.look(1);
  EXPECT_FALSE(pulse.status());
  EXPECT_EQ(pulse.standing_still(5, 10), "");
  EXPECT_NE(pulse.standing_still(11, 10), "") << "nothing was written since the start";
  write("x.status", "running", 400, 400);
  pulse.look(12);
  EXPECT_EQ(pulse.standing_still(12, 10), "");
  EXPECT_TRUE(pulse.status());
  EXPECT_FALSE(pulse.first_new_step_at());
}

TEST_F(PulseTest, AStepOrAWritingIsABeat) {
  Pulse pulse(run(), 0);
  write("x.status", "running", 100, 100, "1");
  pulse.look(1);
  write("x.status", "running", 100, 100, "2");
  pulse.look(9);
  EXPECT_EQ(pulse.standing_still(18, 10), "");
  EXPECT_NE(pulse.standing_still(20, 10), "");
  EXPECT_EQ(pulse.standing_still(20, 0), "") << "0: no limit";
  EXPECT_FALSE(pulse.first_new_step_at());
  write("x.status", "running", 110, 100, "3");
  pulse.look(21);
  EXPECT_EQ(pulse.first_new_step_at(), 21);
  write("x.status", "done", 120, 100, "4");
  pulse.look(22);
  EXPECT_EQ(pulse.standing_still(100, 10), "") << "who is done may be silent";
}

TEST_F(PulseTest, APhaseThatIsAnnouncedMayTakeLonger) {
  Pulse pulse(run(), 0);
  std::ofstream(folder_ / "x.status") << "state: running\nstep: 5\nphase: exporting\n";
  pulse.look(1);
  EXPECT_EQ(pulse.standing_still(100, 10), "");
  EXPECT_NE(pulse.standing_still(102, 10).find("exporting"), std::string::npos);
}

TEST_F(PulseTest, TheFirstStepIsTheRunsOwnWord) {
  Pulse pulse(run(), 0);
  write("x.status", "running", 300, 200);
  pulse.look(1);
  EXPECT_EQ(pulse.first_step(), 200);
  EXPECT_EQ(pulse.progress(), 300);
  EXPECT_EQ(pulse.first_new_step_at(), 1);
}

TEST_F(PulseTest, WhatWasLostIsCountedFromTheStepItGoesOnFrom) {
  Pulse before(run(), 0);
  for (int k = 0; k <= 5; ++k) {
    write("x.status", "running", 100 * k);
    before.look(k);
  }
  Pulse after(run(), 6);
  write("x.status", "running", 210, 200);
  after.look(8);
  const auto loss = after.lost_of(before, 8);
  EXPECT_EQ(loss.steps, 300);
  EXPECT_DOUBLE_EQ(loss.seconds, 6) << "step 200 was passed at 2 s";
}

TEST_F(PulseTest, OfABatchEachRunningPartMustBeat) {
  write("a/run/run.status", "running", 7);  // of an earlier attempt, for ever silent
  Pulse pulse(batch(), 0);
  write("batch.status", "running", 0);
  write("b/fold/fold.status", "running", 10);
  pulse.look(1);
  EXPECT_EQ(pulse.standing_still(10, 10), "");
  EXPECT_NE(pulse.standing_still(12, 10).find("fold.status"), std::string::npos);
  write("b/fold/fold.status", "done", 20);
  pulse.look(13);
  EXPECT_EQ(pulse.standing_still(1000, 10), "") << "batch.status itself may be silent";
  EXPECT_EQ(pulse.progress(), 27);
}

}  // namespace
}  // namespace nfold::launch
