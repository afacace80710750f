// Histories of targets from rows of running.csv, and CSV to text and back.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

#include "core/csv.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

using core::quote_csv_field;
using core::split_csv_row;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CsvField, RoundTripsThroughLine) {
  const std::vector<std::string> fields{"plain", "",         "a, b",    "say \"no\"",
                                        "\"",    ",\",\"\"", " edges ", "x;y\t\xC3\xA9"};
  std::string line;
  for (const auto& field : fields) line += (line.empty() ? "" : ",") + quote_csv_field(field);
  EXPECT_EQ(split_csv_row(line), fields);
}

TEST(CsvField, IsQuotedOnlyIfNeeded) {
  EXPECT_EQ(quote_csv_field("no such file"), "no such file");
  EXPECT_EQ(quote_csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(quote_csv_field("a \"b\""), "\"a \"\"b\"\"\"");
}

TEST(CsvField, StaysOnOneLine) {
  EXPECT_EQ(quote_csv_field("a.yaml:1:2: bad\nb.yaml: worse\r\n\n"),
            "a.yaml:1:2: bad b.yaml: worse ");
  EXPECT_EQ(quote_csv_field("\nfirst"), "first");
}

TEST(CsvFields, CountsEmptyFields) {
  EXPECT_THAT(split_csv_row(""), ElementsAre(""));
  EXPECT_THAT(split_csv_row("a,,b,"), ElementsAre("a", "", "b", ""));
}

/// Several starts of the program that share one file.
class BatchLedger : public testing::Test {
 protected:
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "running.csv"; }
  void write(const std::string& job, const LedgerRow& row) const {
    Ledger(path(), job, "cpu").write(row);
  }
  void write_start(const std::string& job, const std::string& target, const std::string& stage,
                   std::int64_t step, bool alone = false) const {
    write(job, {LedgerEvent::start, target, stage, 1, step, alone, 0, {}});
  }
  void write_event(const std::string& job, LedgerEvent event, const std::string& target,
                   const std::string& detail = {}, int rank = 0) const {
    write(job, {event, target, {}, 1, 0, false, rank, detail});
  }
  /// checkpoint: "STAGE STEP" from which all targets would resume.
  [[nodiscard]] TargetHistory history(const std::string& target,
                                      const std::string& checkpoint = "ladder 0") const {
    const auto all = Ledger::histories(path(), [&](const std::string&) { return checkpoint; });
    const auto found = all.find(target);
    return found == all.end() ? TargetHistory{} : found->second;
  }

  test::TemporaryFolder folder_;
};

TEST_F(BatchLedger, MissingFileHasNoHistory) {
  EXPECT_TRUE(Ledger::histories(path(), [](const std::string&) { return ""; }).empty());
}

TEST_F(BatchLedger, WritesRowsBelowOneHeader) {
  Ledger(path(), "job", "cpu").begin();
  write_start("job", "a,b", "scan", 7);
  write_event("job", LedgerEvent::end, "a,b", "done, \"well\"");
  std::vector<std::vector<std::string>> rows;
  std::string text = test::read_file(path());
  for (std::size_t end = 0; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1)) {
    rows.push_back(split_csv_row(text.substr(0, end)));
    EXPECT_EQ(rows.back().size(), rows.front().size());
  }
  ASSERT_EQ(rows.size(), 3U);
  Ledger(path(), "job", "cpu").begin();
  EXPECT_EQ(history("a,b").starts, 0) << "it ended";
  EXPECT_THAT(rows[0], testing::Contains("event"));
  EXPECT_THAT(rows[1], testing::IsSupersetOf({"job", "start", "a,b", "scan", "7", "cpu"}));
  EXPECT_THAT(rows[2], testing::IsSupersetOf({"end", "a,b", "done, \"well\""}));
}

TEST_F(BatchLedger, ReadsRowsWithoutBackendColumn) {
  test::write_file(
      path(),
      "time,job,event,target,attempt,stage,step,alone,rank,host,detail\n"
      "now,1,start,a,1,ladder,0,0,0,host,\nnow,1,crash,a,1,ladder,0,0,0,host,SIGBUS\n");
  EXPECT_EQ(history("a").crashes, 1);
  EXPECT_EQ(history("a").last_detail, "SIGBUS");
}

TEST_F(BatchLedger, EndOrStopClearsSuspicion) {
  for (const auto event : {LedgerEvent::end, LedgerEvent::stop}) {
    write_start("1", "a", "ladder", 0);
    write_start("2", "a", "ladder", 0);
    EXPECT_TRUE(history("a").is_suspect());
    write_event("2", event, "a");
    EXPECT_FALSE(history("a").is_suspect());
    EXPECT_EQ(history("a").silent_deaths, 0);
  }
}

TEST_F(BatchLedger, SecondSilentDeathMakesSuspect) {
  write_start("1", "a", "ladder", 0);
  EXPECT_EQ(history("a").silent_deaths, 1);
  EXPECT_EQ(history("a").starts, 1);
  EXPECT_FALSE(history("a").is_suspect());
  write_start("2", "a", "ladder", 0);
  EXPECT_TRUE(history("a").is_suspect());
  EXPECT_FALSE(history("a").is_hopeless());
}

TEST_F(BatchLedger, ProgressClearsSilentDeaths) {
  write_start("1", "a", "ladder", 0);
  write_start("2", "a", "ladder", 0);
  // A later checkpoint exists, though no row names it.
  EXPECT_FALSE(history("a", "ladder 5000").is_suspect());
  write_start("3", "a", "ladder", 5000);
  EXPECT_EQ(history("a", "ladder 5000").silent_deaths, 1);
  write_start("3", "a", "kinetics", 0);  // the next part of the same job
  EXPECT_EQ(history("a", "kinetics 0").silent_deaths, 1);
  EXPECT_EQ(history("a", "kinetics 100").silent_deaths, 0);
}

TEST_F(BatchLedger, TwoDeathsAloneAreHopeless) {
  write_start("1", "a", "ladder", 0);
  write_start("2", "a", "ladder", 0);
  write_start("3", "a", "ladder", 0, true);
  EXPECT_FALSE(history("a").is_hopeless());
  write_start("4", "a", "ladder", 0, true);
  EXPECT_TRUE(history("a").is_hopeless());
  EXPECT_FALSE(history("a", "ladder 1000").is_hopeless());
}

TEST_F(BatchLedger, RetryInSameJobIsNoDeath) {
  for (int attempt = 1; attempt <= 3; ++attempt) {
    write("1", {LedgerEvent::start, "a", "run", attempt, 0, true, 0, {}});
  }
  EXPECT_EQ(history("a", "run 0").silent_deaths, 1);
  EXPECT_FALSE(history("a", "run 0").is_hopeless());
}

TEST_F(BatchLedger, FirstCrashIsSuspectAndSecondHopeless) {
  write_start("1", "a", "ladder", 0);
  write_event("1", LedgerEvent::crash, "a", "SIGSEGV");
  EXPECT_EQ(history("a").crashes, 1);
  EXPECT_EQ(history("a").silent_deaths, 0);
  EXPECT_EQ(history("a").last_detail, "SIGSEGV");
  EXPECT_TRUE(history("a").is_suspect());
  EXPECT_FALSE(history("a").is_hopeless());
  write_start("2", "a", "ladder", 0, true);
  write_event("2", LedgerEvent::crash, "a", "SIGBUS");
  EXPECT_TRUE(history("a").is_hopeless());
  EXPECT_EQ(history("a").last_detail, "SIGBUS");
}

TEST_F(BatchLedger, CountsCrashOfGroupOnce) {
  write_start("1", "a", "ladder", 0);
  for (int rank = 0; rank < 3; ++rank) write_event("1", LedgerEvent::crash, "a", "SIGSEGV", rank);
  EXPECT_EQ(history("a").crashes, 1);
}

TEST_F(BatchLedger, CrashOfAnotherTargetIsNoDeath) {
  write_start("1", "victim", "ladder", 0);
  write_start("1", "killer", "ladder", 0);
  write_event("1", LedgerEvent::crash, "killer", "SIGSEGV");
  write_start("2", "victim", "ladder", 0);
  write_start("2", "killer", "ladder", 0);
  write_event("2", LedgerEvent::crash, "killer", "SIGSEGV");
  EXPECT_EQ(history("victim").silent_deaths, 0);
  EXPECT_FALSE(history("victim").is_suspect());
  EXPECT_TRUE(history("killer").is_hopeless());
}

TEST_F(BatchLedger, SkipsTornRow) {
  write_start("1", "a", "ladder", 0);
  test::write_file(path(), test::read_file(path()) + "2026-11-22T22:26:37Z,1,end,a");
  EXPECT_EQ(history("a").silent_deaths, 1);
}

using BatchLedgerDeathTest = BatchLedger;

TEST_F(BatchLedgerDeathTest, FatalSignalWritesRow) {
  write_start("1", "a", "ladder", 0);
  EXPECT_EXIT(
      {
        const Ledger ledger(path(), "1", "cpu");
        ledger.watch_for_crash({LedgerEvent::crash, "a", "ladder", 1, 0, false, 0, {}});
        std::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
  EXPECT_EQ(history("a").crashes, 1);
  EXPECT_EQ(history("a").last_detail, "SIGBUS");
}

TEST_F(BatchLedgerDeathTest, EndedWatchWritesNothing) {
  write_start("1", "a", "ladder", 0);
  EXPECT_EXIT(
      {
        const Ledger ledger(path(), "1", "cpu");
        ledger.watch_for_crash({LedgerEvent::crash, "a", "ladder", 1, 0, false, 0, {}});
        Ledger::end_crash_watch();
        std::raise(SIGBUS);
      },
      testing::KilledBySignal(SIGBUS), "");
  EXPECT_EQ(history("a").crashes, 0);
}

TEST(AppendLine, WritesHeaderOnce) {
  const test::TemporaryFolder folder;
  append_line(folder / "table.csv", "a,b", "1,2");
  append_line(folder / "table.csv", "a,b", "3,4");
  EXPECT_EQ(test::read_file(folder / "table.csv"), "a,b\n1,2\n3,4\n");
  EXPECT_THROW(append_line(folder / "none" / "table.csv", "a", "1"), std::runtime_error);
}

}  // namespace
}  // namespace nfold::batch
