// Status file of a run: heartbeat, phases and suspects.
// SPDX-License-Identifier: BSD-3-Clause
#include "core/status/running_status.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/status/status_file.hpp"

namespace nfold::status {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class RunningStatusTest : public testing::Test {
 protected:
  RunningStatusTest() { fs::remove(file_); }
  ~RunningStatusTest() override { fs::remove(file_); }
  [[nodiscard]] std::string text() const {
    std::ifstream stream(file_);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  // Pauses longer and shorter than any test, so results do not depend on time.
  static constexpr std::chrono::milliseconds long_pause = std::chrono::hours(1), no_pause{0};
  const fs::path file_ = fs::path(testing::TempDir()) / "running.status";
};

TEST_F(RunningStatusTest, HeartbeatFollowsSteps) {
  {
    RunningStatus seldom(file_, 1000, long_pause);
    seldom.write(10);
    fs::remove(file_);
    seldom.report_progress(20);
    EXPECT_EQ(text(), "") << "at once would be too often";
  }
  RunningStatus status(file_, 1000, no_pause);
  status.write(10);
  fs::remove(file_);
  status.report_progress(10);
  EXPECT_EQ(text(), "") << "no step was made";
  status.report_progress(20);
  EXPECT_THAT(text(), HasSubstr("step: 20\nsteps: 1000\n"));
  EXPECT_THAT(text(), HasSubstr("first_step: 10\n")) << "where the session began";
  EXPECT_THAT(text(), Not(HasSubstr("phase")));
}

TEST_F(RunningStatusTest, NamesPhaseWithoutSteps) {
  RunningStatus status(file_, 1000);
  status.begin_phase("writing a checkpoint", 10);
  EXPECT_THAT(text(), HasSubstr("state: running\nstep: 10\n"));
  EXPECT_THAT(text(), HasSubstr("phase: writing a checkpoint\n"));
  status.write(10);
  EXPECT_THAT(text(), Not(HasSubstr("phase")));
}

TEST_F(RunningStatusTest, NamesLongPhasesOnly) {
  {
    RunningStatus seldom(file_, 1000, long_pause);
    seldom.write(10);
    for (int k = 0; k < 100; ++k) {
      const RunningStatus::Phase phase(&seldom, verification_phase, 10 + k);
      ASSERT_THAT(text(), Not(HasSubstr("phase"))) << "at once would be too often";
    }
    const RunningStatus::Phase phase(&seldom, verification_phase, 110);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));  // two polls of the thread
    EXPECT_THAT(text(), Not(HasSubstr("phase")));
  }
  RunningStatus status(file_, 1000, no_pause);
  status.write(10);
  const RunningStatus::Phase phase(&status, verification_phase, 200);
  const auto has_phase = [this] {
    return text().find("phase: verification\n") != std::string::npos;
  };
  for (int k = 0; k < 1200 && !has_phase(); ++k) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_THAT(text(), HasSubstr("state: running\nstep: 200\n"));
  EXPECT_THAT(text(), HasSubstr("phase: verification\n"));
  status.write(300);
  EXPECT_THAT(text(), Not(HasSubstr("phase")));
}

TEST_F(RunningStatusTest, PhaseKeepsAFailedStatus) {
  RunningStatus status(file_, 1000, no_pause);
  status.write(10);
  write_status(file_, {core::Outcome::hang, 20, 1000, "rank 1 stands still"});
  const RunningStatus::Phase phase(&status, repartition_phase, 20);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));  // five polls of the thread
  EXPECT_THAT(text(), HasSubstr("rank 1 stands still"));
}

TEST_F(RunningStatusTest, PhaseNeedsNoStatus) {
  const RunningStatus::Phase phase(nullptr, repartition_phase, 20);
  EXPECT_EQ(text(), "");
}

TEST_F(RunningStatusTest, BeginPhaseIgnoresWriteErrors) {
  RunningStatus status("/nowhere/at/all.status", 1000);
  EXPECT_NO_THROW(status.begin_phase("writing a checkpoint", 10));
  EXPECT_ANY_THROW(status.write(10));
}

TEST_F(RunningStatusTest, NamesTheSuspect) {
  write_status(file_,
               {core::Outcome::hang, 5, 10, "it hangs", "", core::Suspect{2, "node7", "GPU-1"}});
  EXPECT_THAT(text(), HasSubstr("suspect_rank: 2\nsuspect_host: node7\nsuspect_device: GPU-1\n"
                                "suspect_what: hang\n"));
  write_status(file_,
               {core::Outcome::memory, 5, 10, "it is full", "", core::Suspect{2, "node7", ""}});
  EXPECT_THAT(text(), Not(HasSubstr("suspect_device")));
}

TEST_F(RunningStatusTest, HasOneLinePerKey) {
  write_status(file_, {core::Outcome::failure, 5, 10, "two\nlines"});
  EXPECT_THAT(text(), testing::StartsWith("state: failed\nstep: 5\nsteps: 10\n"
                                          "reason: two lines\noutcome: failure\n"));
}

TEST(RankStatusPause, GrowsWithRanks) {
  using namespace std::chrono_literals;
  EXPECT_EQ(rank_status_pause(1), 2s);
  EXPECT_EQ(rank_status_pause(1000), 10s);
  EXPECT_EQ(rank_status_pause(1'000'000), 60s);
}

}  // namespace
}  // namespace nfold::status
