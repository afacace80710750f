// Progress display of a batch: counts, time left and a line for each rank.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/display.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace nfold::batch {
namespace {

using testing::HasSubstr;
using testing::Not;

BatchProgress sample_progress() {
  BatchProgress progress;
  progress.targets = 100;
  progress.done = 12;
  progress.failed = 1;
  progress.ranks = 4;
  progress.running = {{0, "large", "ladder", 20'000, 50'000},
                      {1, "large", "ladder", 20'000, 50'000},
                      {3, "small", "scan", 0, 0}};
  progress.elapsed_seconds = 60;
  progress.cost_done = 10;
  progress.cost_all = 40;
  return progress;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(BatchLine, CountsTargetsAndRanks) {
  // Two ranks share a target.
  const auto line = progress_line(sample_progress());
  EXPECT_THAT(line, HasSubstr("12 of 100 done"));
  EXPECT_THAT(line, HasSubstr("1 failed"));
  EXPECT_THAT(line, HasSubstr("2 running"));
  EXPECT_THAT(line, HasSubstr("85 waiting"));
  EXPECT_THAT(line, HasSubstr("3 of 4 ranks"));
}

TEST(BatchLine, ExtrapolatesTimeLeftFromCostDone) {
  auto progress = sample_progress();  // a quarter of the cost took a minute
  EXPECT_THAT(progress_line(progress), HasSubstr("ETA 0:03:00"));
  progress.cost_done = 0;
  EXPECT_THAT(progress_line(progress), Not(HasSubstr("ETA")));
  progress.cost_done = progress.cost_all;
  EXPECT_THAT(progress_line(progress), Not(HasSubstr("ETA")));
}

TEST(BatchLine, NeverCountsBelowZero) {
  // Rows are read one file after another and may be inconsistent.
  auto progress = sample_progress();
  progress.done = 99;
  EXPECT_THAT(progress_line(progress), HasSubstr("0 waiting"));
  progress.ranks = 2;
  EXPECT_THAT(progress_line(progress), HasSubstr("2 of 2 ranks"));
}

TEST(BatchScreen, HasOneLinePerBusyRank) {
  const auto lines = split_lines(progress_screen(sample_progress(), 200));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[3], Not(HasSubstr("step"))) << "nothing is known of it yet";
  EXPECT_EQ(lines[0], "[#####...............] " + progress_line(sample_progress()))
      << "a quarter of the cost";
  EXPECT_THAT(lines[1], HasSubstr("["));
  EXPECT_THAT(lines[1], testing::AllOf(HasSubstr("rank 0"), HasSubstr("large"), HasSubstr("ladder"),
                                       HasSubstr("20000 of 50000")));
  EXPECT_THAT(lines[3], testing::AllOf(HasSubstr("rank 3"), HasSubstr("small"), HasSubstr("scan")));
}

TEST(BatchScreen, FitsTerminal) {
  auto progress = sample_progress();
  for (int rank = 0; rank < 1000; ++rank) {
    progress.running.push_back({rank, std::string(100, 'x'), "ladder", 1, 2});
  }
  const auto lines = split_lines(progress_screen(progress, 40));
  EXPECT_LE(lines.size(), 20U);
  EXPECT_THAT(lines.back(), HasSubstr("more")) << "who is left out is counted";
  for (const auto& line : lines) EXPECT_LE(line.size(), 40U);
}

}  // namespace
}  // namespace nfold::batch
