// Heartbeat monitor of status files: progress, stalls and other attempts.
// SPDX-License-Identifier: BSD-3-Clause
#include "supervise/heartbeat_monitor.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace nfold::supervise {
namespace {

namespace fs = std::filesystem;

class HeartbeatTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("nfold_pulse_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "a" / "run");
    fs::create_directories(folder_ / "b" / "fold");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& state, int step, int first = 0,
             const std::string& written = "") const {
    std::ofstream(folder_ / name) << "attempt: " << attempt_ << "\nstate: " << state
                                  << "\nstep: " << step << "\nfirst_step: " << first
                                  << "\nwritten: " << written << "\n";
  }
  void write_rank(int rank, const std::string& written, const std::string& moved,
                  const std::string& phase = "", const std::string& work = "a") const {
    std::ofstream(folder_ / ("batch.rank-" + std::to_string(rank) + ".status"))
        << "attempt: " << attempt_ << "\nstate: running\nstep: 40\nrank: " << rank << "\nhost: n"
        << rank / 2 << "\ndevice: GPU-" << rank << "\nwork: " << work << "\nmoved: " << moved
        << "\nwritten: " << written << "\n"
        << (phase.empty() ? "" : "phase: " + phase + "\n");
  }
  [[nodiscard]] WatchedFolder run() const {
    return {folder_ / "x.status", folder_, false, attempt_};
  }
  [[nodiscard]] WatchedFolder batch() const {
    return {folder_ / "batch.status", folder_, true, attempt_};
  }

  fs::path folder_;
  std::string attempt_ = "2";
};

TEST_F(HeartbeatTest, OtherAttemptsAreIgnored) {
  HeartbeatMonitor monitor(run(), 0);
  attempt_ = "1";
  write("x.status", "done", 500);
  monitor.update(1);
  EXPECT_FALSE(monitor.status());
  EXPECT_EQ(monitor.find_stall(5, 10).words, "");
  EXPECT_NE(monitor.find_stall(11, 10).words, "") << "nothing was written since the start";
  attempt_ = "2";
  write("x.status", "running", 400, 400);
  monitor.update(12);
  EXPECT_EQ(monitor.find_stall(12, 10).words, "");
  EXPECT_TRUE(monitor.status());
  EXPECT_FALSE(monitor.first_new_step_at());
}

TEST_F(HeartbeatTest, StepOrWriteIsAHeartbeat) {
  HeartbeatMonitor monitor(run(), 0);
  write("x.status", "running", 100, 100, "1");
  monitor.update(1);
  write("x.status", "running", 100, 100, "2");
  monitor.update(9);
  EXPECT_EQ(monitor.find_stall(18, 10).words, "");
  EXPECT_NE(monitor.find_stall(20, 10).words, "");
  EXPECT_EQ(monitor.find_stall(20, 0).words, "") << "0: no limit";
  EXPECT_FALSE(monitor.first_new_step_at());
  write("x.status", "running", 110, 100, "3");
  monitor.update(21);
  EXPECT_EQ(monitor.first_new_step_at(), 21);
  write("x.status", "done", 120, 100, "4");
  monitor.update(22);
  EXPECT_EQ(monitor.find_stall(100, 10).words, "") << "who is done may be silent";
}

TEST_F(HeartbeatTest, AnnouncedPhaseMayTakeLonger) {
  HeartbeatMonitor monitor(run(), 0);
  std::ofstream(folder_ / "x.status") << "attempt: 2\nstate: running\nphase: exporting\n";
  monitor.update(1);
  EXPECT_EQ(monitor.find_stall(100, 10).words, "");
  EXPECT_NE(monitor.find_stall(102, 10).words.find("exporting"), std::string::npos);
}

TEST_F(HeartbeatTest, VerificationHasTheUsualLimit) {
  HeartbeatMonitor monitor(run(), 0);
  std::ofstream(folder_ / "x.status") << "attempt: 2\nstate: running\nphase: verification\n";
  monitor.update(1);
  EXPECT_NE(monitor.find_stall(12, 10).words.find("while verification"), std::string::npos);
}

TEST_F(HeartbeatTest, FirstStepComesFromTheStatus) {
  HeartbeatMonitor monitor(run(), 0);
  write("x.status", "running", 300, 200);
  monitor.update(1);
  EXPECT_EQ(monitor.first_step(), 200);
  EXPECT_EQ(monitor.progress(), 300);
  EXPECT_EQ(monitor.first_new_step_at(), 1);
}

TEST_F(HeartbeatTest, LossCountsFromResumedStep) {
  HeartbeatMonitor before(run(), 0);
  for (int k = 0; k <= 5; ++k) {
    write("x.status", "running", 100 * k);
    before.update(k);
  }
  attempt_ = "3";
  HeartbeatMonitor after(run(), 6);
  write("x.status", "running", 210, 200);
  after.update(8);
  const auto loss = after.loss_since(before, 8);
  EXPECT_EQ(loss.steps, 300);
  EXPECT_DOUBLE_EQ(loss.seconds, 6) << "step 200 was passed at 2 s";
}

TEST_F(HeartbeatTest, EachRunningTargetMustProgress) {
  attempt_ = "1";
  write("a/run/run.status", "running", 7);  // earlier attempt, silent for ever
  attempt_ = "2";
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 0);
  write("b/fold/fold.status", "running", 10);
  monitor.update(1);
  EXPECT_EQ(monitor.find_stall(10, 10).words, "");
  EXPECT_NE(monitor.find_stall(12, 10).words.find("fold.status"), std::string::npos);
  write("b/fold/fold.status", "done", 20);
  monitor.update(13);
  EXPECT_EQ(monitor.find_stall(1000, 10).words, "") << "batch.status itself may be silent";
  EXPECT_EQ(monitor.progress(), 27);
}

TEST_F(HeartbeatTest, SilentRankIsNamed) {
  attempt_ = "1";
  write_rank(3, "of a job that was killed", "1");
  attempt_ = "2";
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 0);
  write_rank(0, "1", "1");
  write_rank(1, "1", "1", "results are computed");
  monitor.update(1);
  write_rank(0, "2", "2");
  monitor.update(8);
  EXPECT_EQ(monitor.find_stall(11, 10).words, "");
  const auto still = monitor.find_stall(12, 10);
  EXPECT_NE(still.words.find("rank 1 on n0 has given no sign of life for 10 s, at step 40 of a"),
            std::string::npos)
      << "a phase gives no patience with a process that is stopped: " << still.words;
  EXPECT_EQ(still.by.rank, 1);
  EXPECT_EQ(still.by.host, "n0");
  EXPECT_EQ(still.by.device, "GPU-1");
}

TEST_F(HeartbeatTest, RankWithoutProgressIsNamed) {
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 0);
  for (int now = 1; now <= 12; ++now) {
    write_rank(0, std::to_string(now), "1", "results are computed");
    write_rank(1, std::to_string(now), std::to_string(std::min(now, 2)));
    monitor.update(now);
    EXPECT_EQ(monitor.find_stall(now, 10).words, "") << now;
  }
  const auto still = monitor.find_stall(12.5, 10);
  EXPECT_NE(still.words.find("rank 1 on n0 lives, and has come no further for 10 s"),
            std::string::npos)
      << still.words;
  EXPECT_EQ(still.by.rank, 1);
}

TEST_F(HeartbeatTest, RanksOfOneHostAreReportedAsHost) {
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 0);
  for (const int rank : {0, 1, 2, 3}) write_rank(rank, "1", "1");
  monitor.update(1);
  for (const int rank : {0, 1}) write_rank(rank, "2", "2");
  monitor.update(9);
  const auto still = monitor.find_stall(12, 10);
  EXPECT_FALSE(still.by.rank);
  EXPECT_EQ(still.by.host, "n1");
  EXPECT_NE(still.words.find("1 more rank"), std::string::npos) << still.words;
}

TEST_F(HeartbeatTest, ManyRanksHaveALongerLimit) {
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 0);
  for (int rank = 0; rank < 500; ++rank) write_rank(rank, "1", "1");
  monitor.update(1);
  EXPECT_EQ(monitor.find_stall(15, 3).words, "") << "500 ranks write every 5 s";
  EXPECT_NE(monitor.find_stall(17, 3).words, "");
}

TEST_F(HeartbeatTest, EndedRankMayBeSilent) {
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 0);
  write_rank(0, "1", "1");
  monitor.update(1);
  EXPECT_NE(monitor.find_stall(12, 10).words, "");
  fs::remove(folder_ / "batch.rank-0.status");
  monitor.update(12);
  EXPECT_EQ(monitor.find_stall(1000, 10).words, "");
}

TEST_F(HeartbeatTest, BatchOfWaitingRanksIsStalled) {
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 1);
  const std::string waits = "waiting for a target";
  for (int now = 1; now <= 30; ++now) {
    // The other one has withdrawn, and waits for all.
    write_rank(0, std::to_string(now), std::to_string(now), waits, now == 15 ? "a" : "");
    write_rank(1, std::to_string(now), std::to_string(now), "", "");
    monitor.update(now);
    EXPECT_EQ(monitor.find_stall(now, 20).words, "") << now;
  }
  EXPECT_EQ(monitor.find_stall(25.5, 10).words, "");
  EXPECT_NE(monitor.find_stall(26.5, 10).words.find("no rank has had a target"), std::string::npos);
}

TEST_F(HeartbeatTest, TargetMayWaitWhileRanksReport) {
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 0);
  write("b/fold/fold.status", "running", 10);
  for (int now = 1; now <= 101; now += 5) {
    write_rank(0, std::to_string(now), std::to_string(now));
    monitor.update(now);
    EXPECT_EQ(monitor.find_stall(now, 10).words, "") << now;
  }
  EXPECT_NE(monitor.find_stall(102, 10).words.find("fold.status"), std::string::npos);
}

TEST_F(HeartbeatTest, ProgressCountsFurtherAttempts) {
  fs::create_directories(folder_ / "a" / "attempt-2" / "run");
  HeartbeatMonitor monitor(batch(), 0);
  write("batch.status", "running", 0);
  write("a/attempt-2/run/run.status", "running", 30);
  monitor.update(1);
  EXPECT_EQ(monitor.progress(), 30);
}

}  // namespace
}  // namespace nfold::supervise
