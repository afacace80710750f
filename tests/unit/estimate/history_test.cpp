// History of estimates: rows, concurrent writers, corrections from similar runs.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/scoped_variable.hpp"
#include "unit/estimate/many_writers.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::estimate {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class History : public testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return folder_ / "deep/history.sqlite"; }

  const test::TemporaryFolder folder_;
};

HistoryRow row(double predicted, double measured, double residues = 1000) {
  HistoryRow row;
  row.time = "2026-11-25T18:00:00Z";
  row.host = "n'1";  // the quote must be escaped in SQL
  row.version = "1";
  row.machine = "h100-1";
  row.ranks = 1;
  row.demand.residues = residues;
  row.demand.pair_form = 2;
  row.demand.pairs = 5e4;
  row.estimated_seconds = predicted;
  row.measured_seconds = measured;
  row.steps = 5000;
  return row;
}

TEST_F(History, ReturnsNewestRowsFirst) {
  EXPECT_TRUE(step_rows(file(), "h100-1", false).empty());
  append(file(), row(1e-5, 2e-5));
  auto second = row(3e-5, 4e-5);
  second.demand.is_in_full_precision = true;
  append(file(), second);
  auto other = row(1, 1);
  other.machine = "h200-1";
  append(file(), other);
  const auto rows = step_rows(file(), "h100-1", false);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].estimated_seconds, 3e-5);
  EXPECT_TRUE(rows[0].demand.is_in_full_precision);
  EXPECT_EQ(rows[1].measured_seconds, 2e-5);
  EXPECT_EQ(rows[1].host, "n'1");
  EXPECT_EQ(rows[1].demand.pair_form, 2U);
  EXPECT_EQ(rows[1].steps, 5000);
  EXPECT_TRUE(step_rows(file(), "h100-1", true).empty());
}

TEST_F(History, AcceptsConcurrentWriters) {
  constexpr int writers = 4, each = 25;
  test::write_from_processes(writers, each, [this](int w) { append(file(), row(1, w + 1)); });
  EXPECT_EQ(step_rows(file(), "h100-1", false).size(), static_cast<std::size_t>(writers * each));
}

TEST_F(History, NamesFileOfOtherFormat) {
  fs::create_directories(file().parent_path());
  std::ofstream(file()) << "this is no database, but some text that is long enough for a header\n";
  try {
    append(file(), row(1, 1));
    FAIL() << "nothing was thrown";
  } catch (const HistoryError& error) {
    EXPECT_THAT(error.what(), HasSubstr("history.sqlite"));
    EXPECT_THAT(error.what(), HasSubstr("NFOLD_HISTORY"));
  }
  EXPECT_THROW((void)step_rows(file(), "h100-1", false), HistoryError);
}

TEST(Correction, IsMeanOfSimilarRuns) {
  const auto demand = row(1, 1).demand;
  EXPECT_EQ(correction_for({}, demand, 1).runs, 0);
  EXPECT_EQ(correction_for({}, demand, 1).factor, 1);
  auto precise = row(1, 9);
  precise.demand.is_in_full_precision = true;
  auto other_form = row(1, 9);
  other_form.demand.pair_form = 1;
  auto two_ranks = row(1, 9);
  two_ranks.ranks = 2;
  const std::vector<HistoryRow> rows{row(1, 2), row(1, 8, 2900), row(1, 9, 3100), row(1, 9, 300),
                                     precise,   other_form,      two_ranks};
  const auto found = correction_for(rows, demand, 1);
  EXPECT_EQ(found.runs, 2);
  EXPECT_DOUBLE_EQ(found.factor, 4);
  EXPECT_EQ(found.spread, 0) << "two runs tell no spread";
  EXPECT_DOUBLE_EQ(correction_for(rows, demand, 4).factor, 9) << "of several ranks";
  EXPECT_DOUBLE_EQ(correction_for({row(1, 2)}, demand, 4).factor, 2)
      << "of one, as there is no other";
  EXPECT_DOUBLE_EQ(correction_for({row(1, 5, 30)}, demand, 1).factor, 5) << "of another size";
  EXPECT_EQ(correction_for({precise, other_form}, demand, 1).runs, 0);
}

TEST(Correction, ForgetsOldRunsAndHasSpread) {
  std::vector<HistoryRow> rows(10, row(1, 2));
  rows.push_back(row(1, 1000));
  const auto found = correction_for(rows, row(1, 1).demand, 1);
  EXPECT_EQ(found.runs, 10);
  EXPECT_NEAR(found.factor, 2, 1e-12);
  rows[0].measured_seconds = 4;
  const auto wider = correction_for(rows, row(1, 1).demand, 1);
  EXPECT_NEAR(wider.spread, std::log(2) * std::sqrt(0.1), 1e-6);
}

TEST(HistoryFile, FollowsEnvironment) {
  const test::ScopedVariable history("NFOLD_HISTORY"), state("XDG_STATE_HOME"), home("HOME");
  setenv("NFOLD_HISTORY", "off", 1);
  EXPECT_FALSE(history_file());
  setenv("NFOLD_HISTORY", "/somewhere/mine.sqlite", 1);
  EXPECT_EQ(history_file(), fs::path("/somewhere/mine.sqlite"));
  setenv("NFOLD_HISTORY", "", 1);
  setenv("XDG_STATE_HOME", "/state", 1);
  EXPECT_EQ(history_file(), fs::path("/state/nfold/history.sqlite"));
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", "/home", 1);
  EXPECT_EQ(history_file(), fs::path("/home/.local/state/nfold/history.sqlite"));
}

}  // namespace
}  // namespace nfold::estimate
