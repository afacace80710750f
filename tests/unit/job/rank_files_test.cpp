// Files by which nodes exchange reports of their ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/job/rank_files.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "comm/waiting.hpp"

namespace nfold::job {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class RankFileTest : public testing::Test {
 protected:
  RankFileTest() : folder_(fs::path(testing::TempDir()) / "rank_files") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    comm::initialize_own_record(5);
    comm::set_record_device("GPU-5");
    comm::set_record_message("cut within a letter: \xc3");
    comm::set_wait_phase("in a block of steps", 4200);
  }
  ~RankFileTest() override { fs::remove_all(folder_); }
  [[nodiscard]] fs::path prefix() const { return folder_ / "x.ranks"; }
  void wait_for(const fs::path& file) const {
    for (int i = 0; i < 12'000 && (!fs::exists(file) || fs::file_size(file) == 0); ++i) {
      std::this_thread::sleep_for(10ms);
    }
  }
  fs::path folder_;
};

TEST_F(RankFileTest, HoldsReportOfARank) {
  const auto file = folder_ / "one.json";
  {
    const comm::Waiting waiting("a sum");
    write_rank_file(file);
  }
  const auto reports = read_rank_file(file, fs::last_write_time(file) + 30s);
  ASSERT_EQ(reports.size(), 1U);
  const auto& one = reports.front();
  EXPECT_EQ(one.rank, 5);
  EXPECT_EQ(one.step, 4200);
  EXPECT_EQ(one.device, "GPU-5");
  EXPECT_EQ(one.phase, "in a block of steps");
  EXPECT_EQ(one.call, "a sum");
  EXPECT_EQ(one.state, 'R');
  EXPECT_EQ(one.last_message.substr(0, 20), "cut within a letter:");
  EXPECT_GE(one.in_phase_s, 30);
  EXPECT_GE(one.unseen_s, 30);
}

TEST_F(RankFileTest, DamagedOrMissingFileIsEmpty) {
  EXPECT_TRUE(read_rank_file(folder_ / "none.json", {}).empty());
  std::ofstream(folder_ / "half.json") << R"([{"rank": 1, "proc)";
  EXPECT_TRUE(read_rank_file(folder_ / "half.json", {}).empty());
  std::ofstream(folder_ / "other.json") << R"([{"rank": "one"}])";
  EXPECT_TRUE(read_rank_file(folder_ / "other.json", {}).empty());
}

TEST_F(RankFileTest, IsSharedBetweenNodesAndRemoved) {
  const auto far_file = folder_ / "x.ranks-8.json";
  write_rank_file(far_file);
  {
    const RankFiles files(prefix(), {0, 8}, 0, true);
    wait_for(folder_ / "x.ranks-0.json");
    const auto all = comm::all_reports();
    EXPECT_EQ(all.size(), 2U) << "its own, and that of the other node";
    EXPECT_TRUE(fs::exists(folder_ / "x.ranks-0.json"));
  }
  EXPECT_FALSE(fs::exists(folder_ / "x.ranks-0.json"));
  EXPECT_EQ(comm::all_reports().size(), 1U);
}

TEST_F(RankFileTest, IsAbsentOnASingleNode) {
  const RankFiles files(comm::Communicator(), prefix());
  EXPECT_TRUE(fs::is_empty(folder_));
}

}  // namespace
}  // namespace nfold::job
