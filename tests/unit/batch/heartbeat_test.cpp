// Heartbeat file of a rank: it advances while the process and its work advance.
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

Lines read_status(const fs::path& file) {
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

  /// Returns the file of rank 2 once it meets the condition, or an empty map after 2 min.
  [[nodiscard]] Lines wait_for(const std::function<bool(Lines&)>& condition) const {
    return wait_for(folder_.rank_status(2), condition);
  }
  [[nodiscard]] static Lines wait_for(const fs::path& file,
                                      const std::function<bool(Lines&)>& condition) {
    for (const auto until = std::chrono::steady_clock::now() + 2min;
         std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(5ms)) {
      auto lines = read_status(file);
      if (!lines.empty() && condition(lines)) return lines;
    }
    return {};
  }
  static bool is_stalled(Lines& lines) { return lines["written"] > lines["moved"]; }

  const BatchFolder folder_{fs::temp_directory_path() /
                            ("nfold_heartbeat_" + std::to_string(getpid()))};
  static constexpr auto pause = 10ms;
};

TEST_F(HeartbeatTest, IdleRankKeepsAdvancing) {
  const Heartbeat heartbeat(folder_, 2, pause);
  auto first = wait_for([](Lines&) { return true; });
  EXPECT_EQ(first["state"], "running");
  EXPECT_EQ(first["rank"], "2");
  EXPECT_EQ(first.count("steps"), 0U);
  EXPECT_EQ(first.count("work"), 0U);
  EXPECT_FALSE(wait_for([&](Lines& now) { return now["moved"] > first["moved"]; }).empty());
}

TEST_F(HeartbeatTest, StalledWorkStopsAdvancing) {
  Heartbeat heartbeat(folder_, 2, pause);
  const Heartbeat::Work work(heartbeat, "t1");
  auto stalled = wait_for(is_stalled);
  ASSERT_FALSE(stalled.empty());
  EXPECT_EQ(stalled["work"], "t1");
  EXPECT_EQ(stalled["step"], "40");
  EXPECT_EQ(stalled.count("phase"), 0U) << "a block of steps is no phase without steps";
  comm::set_wait_step(50);
  EXPECT_FALSE(wait_for([&](Lines& now) {
                 return now["moved"] > stalled["moved"] && now["step"] == "50";
               }).empty());
  EXPECT_FALSE(wait_for(is_stalled).empty()) << "one step is no life for ever";
}

TEST_F(HeartbeatTest, WaitForOtherRanksKeepsAdvancing) {
  Heartbeat heartbeat(folder_, 2, pause);
  const Heartbeat::Work work(heartbeat, "t1");
  auto stalled = wait_for(is_stalled);
  ASSERT_FALSE(stalled.empty());
  const comm::Waiting waiting("a sum");
  auto first = wait_for([&](Lines& now) { return now["moved"] > stalled["moved"]; });
  ASSERT_FALSE(first.empty());
  EXPECT_FALSE(wait_for([&](Lines& now) { return now["moved"] > first["moved"]; }).empty());
}

TEST_F(HeartbeatTest, WaitForOwnDeviceStalls) {
  Heartbeat heartbeat(folder_, 2, pause);
  const Heartbeat::Work work(heartbeat, "t1");
  const comm::WaitingForDevice waiting;
  EXPECT_FALSE(wait_for(is_stalled).empty());
}

TEST_F(HeartbeatTest, DrawingTargetKeepsAdvancing) {
  Heartbeat heartbeat(folder_, 2, pause);
  const Heartbeat::Work work(heartbeat, "t1");
  auto stalled = wait_for(is_stalled);
  ASSERT_FALSE(stalled.empty());
  const Heartbeat::Draw draw(heartbeat);
  auto first = wait_for([&](Lines& now) { return now["moved"] > stalled["moved"]; });
  ASSERT_FALSE(first.empty());
  EXPECT_FALSE(wait_for([&](Lines& now) { return now["moved"] > first["moved"]; }).empty());
}

TEST_F(HeartbeatTest, ReportsPhaseWithoutSteps) {
  Heartbeat heartbeat(folder_, 2, pause);
  {
    const Heartbeat::Work work(heartbeat, "t1");
    const Heartbeat::Work other(heartbeat, "t2");
    comm::set_wait_phase("while results are computed", 60);
    auto both = wait_for([](Lines& now) { return now["phase"] == "results are computed"; });
    EXPECT_EQ(both["work"], "t1, t2");
  }
  EXPECT_FALSE(wait_for([](Lines& now) {
                 return now.count("work") == 0 && now.count("phase") == 0;
               }).empty());
}

TEST_F(HeartbeatTest, RemovesStaleFilesOfKilledJob) {
  std::ofstream(folder_.rank_status(7)) << "state: running\n";
  {
    const Heartbeat heartbeat(folder_, 2, pause);
    EXPECT_FALSE(wait_for([](Lines&) { return true; }).empty());
  }
  EXPECT_FALSE(fs::exists(folder_.rank_status(2)));
  EXPECT_TRUE(fs::exists(folder_.rank_status(7)));
  std::ofstream(folder_.status()) << "state: running\n";
  Heartbeat::remove_stale_files(folder_);
  EXPECT_FALSE(fs::exists(folder_.rank_status(7)));
  EXPECT_TRUE(fs::exists(folder_.status()));
}

TEST_F(HeartbeatTest, BatchStatusAdvancesWithFinishedTargets) {
  std::ofstream(folder_.results()) << "target\na\n";
  Heartbeat heartbeat(folder_, 2, pause);
  heartbeat.begin_batch_status(5);
  auto begun = read_status(folder_.status());
  EXPECT_EQ(begun["step"], "1");
  EXPECT_EQ(begun["steps"], "5");
  std::ofstream(folder_.results(), std::ios::app) << "b\n";
  EXPECT_FALSE(wait_for(folder_.status(), [](Lines& now) { return now["step"] == "2"; }).empty());
  heartbeat.end_batch_status();
  std::ofstream(folder_.status()) << "state: done\n";
  std::ofstream(folder_.results(), std::ios::app) << "c\n";
  auto before = read_status(folder_.rank_status(2));
  ASSERT_FALSE(before.empty());
  EXPECT_FALSE(wait_for([&](Lines& now) { return now["written"] > before["written"]; }).empty());
  EXPECT_EQ(read_status(folder_.status())["state"], "done") << "the end's own word stays";
}

}  // namespace
}  // namespace nfold::batch
