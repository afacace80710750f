// What a moment of a batch reads like: counts, time left, a line for each rank.
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

BatchMoment a_moment() {
  BatchMoment moment;
  moment.targets = 100;
  moment.done = 12;
  moment.failed = 1;
  moment.ranks = 4;
  moment.running = {{0, "large", "ladder", 20'000, 50'000},
                    {1, "large", "ladder", 20'000, 50'000},
                    {3, "small", "scan", 0, 0}};
  moment.elapsed_seconds = 60;
  moment.cost_done = 10;
  moment.cost_all = 40;
  return moment;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(BatchLine, CountsTargetsAndRanks) {
  // Two ranks share a target.
  const auto line = batch_line(a_moment());
  EXPECT_THAT(line, HasSubstr("12 of 100 done"));
  EXPECT_THAT(line, HasSubstr("1 failed"));
  EXPECT_THAT(line, HasSubstr("2 running"));
  EXPECT_THAT(line, HasSubstr("85 waiting"));
  EXPECT_THAT(line, HasSubstr("3 of 4 ranks"));
}

TEST(BatchLine, TellsTheTimeLeftByWhatTheCostTook) {
  auto moment = a_moment();  // a quarter in a minute
  EXPECT_THAT(batch_line(moment), HasSubstr("ETA 0:03:00"));
  moment.cost_done = 0;
  EXPECT_THAT(batch_line(moment), Not(HasSubstr("ETA")));
  moment.cost_done = moment.cost_all;
  EXPECT_THAT(batch_line(moment), Not(HasSubstr("ETA")));
}

TEST(BatchLine, NeverCountsBelowZero) {
  // Rows of a moment are read one file after another, and may not fit.
  auto moment = a_moment();
  moment.done = 99;
  EXPECT_THAT(batch_line(moment), HasSubstr("0 waiting"));
  moment.ranks = 2;
  EXPECT_THAT(batch_line(moment), HasSubstr("2 of 2 ranks"));
}

TEST(BatchScreen, HasALineForEachRankAtWork) {
  const auto lines = lines_of(batch_screen(a_moment(), 200));
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[3], Not(HasSubstr("step"))) << "nothing is known of it yet";
  EXPECT_EQ(lines[0], "[#####...............] " + batch_line(a_moment()))
      << "a quarter of the cost";
  EXPECT_THAT(lines[1], HasSubstr("["));
  EXPECT_THAT(lines[1], testing::AllOf(HasSubstr("rank 0"), HasSubstr("large"), HasSubstr("ladder"),
                                       HasSubstr("20000 of 50000")));
  EXPECT_THAT(lines[3], testing::AllOf(HasSubstr("rank 3"), HasSubstr("small"), HasSubstr("scan")));
}

TEST(BatchScreen, FitsIntoTheTerminal) {
  auto moment = a_moment();
  for (int rank = 0; rank < 1000; ++rank) {
    moment.running.push_back({rank, std::string(100, 'x'), "ladder", 1, 2});
  }
  const auto lines = lines_of(batch_screen(moment, 40));
  EXPECT_LE(lines.size(), 20U);
  EXPECT_THAT(lines.back(), HasSubstr("more")) << "who is left out is counted";
  for (const auto& line : lines) EXPECT_LE(line.size(), 40U);
}

}  // namespace
}  // namespace nfold::batch
