// A rank's sign of life moves on while it lives, and tells when its work last did.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/heartbeat.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>

#include "comm/waiting.hpp"

namespace nfold::batch {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

using Lines = std::map<std::string, std::string>;

Lines lines_of(const fs::path& file) {
  Lines lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos) lines[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return lines;
}

class HeartbeatTest : public testing::Test {
 protected:
  HeartbeatTest() {
    fs::remove_all(folder_.folder);
    fs::create_directories(folder_.folder);
    comm::set_wait_phase("in a block of steps", 40);
  }
  ~HeartbeatTest() override { fs::remove_all(folder_.folder); }

  /// The file of rank 2 once that holds of it; empty if it never does.
  [[nodiscard]] Lines once(const std::function<bool(Lines&)>& holds) const {
    return once(folder_.rank_status(2), holds);
  }
  [[nodiscard]] static Lines once(const fs::path& file, const std::function<bool(Lines&)>& holds) {
    for (const auto until = std::chrono::steady_clock::now() + 30s;
         std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(5ms)) {
      auto lines = lines_of(file);
      if (!lines.empty() && holds(lines)) return lines;
    }
    return {};
  }
  static bool stands_still(Lines& lines) { return lines["written"] > lines["moved"]; }

  const BatchFolder folder_{fs::temp_directory_path() /
                            ("nfold_heartbeat_" + std::to_string(getpid()))};
  static constexpr auto pause = 10ms;
};

TEST_F(HeartbeatTest, WhoHasNoWorkMovesOnWithoutIt) {
  const Heartbeat heartbeat(folder_, 2, pause);
  auto first = once([](Lines&) { return true; });
  EXPECT_EQ(first["state"], "running");
  EXPECT_EQ(first["rank"], "2");
  EXPECT_EQ(first.count("steps"), 0U);
  EXPECT_EQ(first.count("work"), 0U);
  EXPECT_FALSE(once([&](Lines& now) { return now["moved"] > first["moved"]; }).empty());
}

TEST_F(HeartbeatTest, WorkThatStandsStillIsSeenWhileTheProcessLives) {
  Heartbeat heartbeat(folder_, 2, pause);
  const Heartbeat::Work work(heartbeat, "t1");
  auto still = once(stands_still);
  ASSERT_FALSE(still.empty());
  EXPECT_EQ(still["work"], "t1");
  EXPECT_EQ(still["step"], "40");
  EXPECT_EQ(still.count("phase"), 0U) << "a block of steps is no phase without steps";
  comm::set_wait_step(50);
  EXPECT_FALSE(once([&](Lines& now) {
                 return now["moved"] > still["moved"] && now["step"] == "50";
               }).empty());
  EXPECT_FALSE(once(stands_still).empty()) << "one step is no life for ever";
}

TEST_F(HeartbeatTest, AWaitForOtherRanksIsNotThisOnesFault) {
  Heartbeat heartbeat(folder_, 2, pause);
  const Heartbeat::Work work(heartbeat, "t1");
  auto still = once(stands_still);
  const comm::Waiting waiting("a sum");
  auto first = once([&](Lines& now) { return now["moved"] > still["moved"]; });
  ASSERT_FALSE(first.empty());
  EXPECT_FALSE(once([&](Lines& now) { return now["moved"] > first["moved"]; }).empty());
}

TEST_F(HeartbeatTest, AWaitForTheOwnDeviceIs) {
  Heartbeat heartbeat(folder_, 2, pause);
  const Heartbeat::Work work(heartbeat, "t1");
  const comm::WaitingForDevice waiting;
  EXPECT_FALSE(once(stands_still).empty());
}

TEST_F(HeartbeatTest, WhoDrawsAnotherTargetBesidesMayTakeAnyTime) {
  Heartbeat heartbeat(folder_, 2, pause);
  const Heartbeat::Work work(heartbeat, "t1");
  auto still = once(stands_still);
  const Heartbeat::Draw draw(heartbeat);
  auto first = once([&](Lines& now) { return now["moved"] > still["moved"]; });
  EXPECT_FALSE(once([&](Lines& now) { return now["moved"] > first["moved"]; }).empty());
}

TEST_F(HeartbeatTest, APhaseWithoutStepsIsTold) {
  Heartbeat heartbeat(folder_, 2, pause);
  {
    const Heartbeat::Work work(heartbeat, "t1");
    const Heartbeat::Work other(heartbeat, "t2");
    comm::set_wait_phase("while results are computed", 60);
    auto both = once([](Lines& now) { return now["phase"] == "results are computed"; });
    EXPECT_EQ(both["work"], "t1, t2");
  }
  EXPECT_FALSE(
      once([](Lines& now) { return now.count("work") == 0 && now.count("phase") == 0; }).empty());
}

TEST_F(HeartbeatTest, AFileThatIsLeftIsOfAJobThatWasKilled) {
  std::ofstream(folder_.rank_status(7)) << "state: running\n";
  { const Heartbeat heartbeat(folder_, 2, pause); }
  EXPECT_FALSE(fs::exists(folder_.rank_status(2)));
  EXPECT_TRUE(fs::exists(folder_.rank_status(7)));
  std::ofstream(folder_.status()) << "state: running\n";
  Heartbeat::forget_others(folder_);
  EXPECT_FALSE(fs::exists(folder_.rank_status(7)));
  EXPECT_TRUE(fs::exists(folder_.status()));
}

TEST_F(HeartbeatTest, TheWholeMovesOnWithTargetsThatEnd) {
  std::ofstream(folder_.results()) << "target\na\n";
  Heartbeat heartbeat(folder_, 2, pause);
  heartbeat.begin_whole(5);
  auto begun = lines_of(folder_.status());
  EXPECT_EQ(begun["step"], "1");
  EXPECT_EQ(begun["steps"], "5");
  std::ofstream(folder_.results(), std::ios::app) << "b\n";
  EXPECT_FALSE(once(folder_.status(), [](Lines& now) { return now["step"] == "2"; }).empty());
  heartbeat.end_whole();
  std::ofstream(folder_.status()) << "state: done\n";
  std::ofstream(folder_.results(), std::ios::app) << "c\n";
  auto before = lines_of(folder_.rank_status(2));
  (void)once([&](Lines& now) { return now["written"] > before["written"]; });
  EXPECT_EQ(lines_of(folder_.status())["state"], "done") << "the end's own word stays";
}

}  // namespace
}  // namespace nfold::batch
