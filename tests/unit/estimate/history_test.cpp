// Rows of runs in the history, concurrent writers, and the file.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/history.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

StepRow row(double predicted, double measured) {
  StepRow row;
  row.origin = {"2026-11-25T18:00:00Z", "n'1", "1"};  // the quote must be escaped in SQL
  row.machine = "h100-1";
  row.ranks = 1;
  row.demand.residues = 1000;
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
  EXPECT_EQ(rows[1].origin.host, "n'1");
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
