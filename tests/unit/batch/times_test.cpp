// Times of targets from rows of running.csv as real batches write them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>

#include <fstream>

#include "batch/tables.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

std::map<std::string, TargetTime> times_from_rows(const std::string& rows) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "running.csv";
  std::ofstream(path) << "time,job,event,target,attempt,stage,step,alone,rank,host,space,detail\n"
                      << rows;
  return read_target_times(path);
}

TEST(TargetTimes, ParseTimestamps) {
  EXPECT_DOUBLE_EQ(parse_utc("1970-01-02T00:00:01.250Z"), 86401.25);
  EXPECT_DOUBLE_EQ(parse_utc("2026-11-25T00:50:07Z") - parse_utc("2026-11-25T00:49:07Z"), 60);
  for (const char* const text : {"", "time", "2026-11-25", "2026-11-25T00:50:07", "Z"}) {
    EXPECT_EQ(parse_utc(text), -1) << text;
  }
}

TEST(TargetTimes, CoverAllStages) {
  const auto times = times_from_rows(
      "2026-11-25T00:50:08.100Z,j1,start,fold,1,scan,0,0,0,vm,cpu,\n"
      "2026-11-25T00:50:09.000Z,j1,start,fold,1,ladder,0,0,0,vm,cpu,\n"
      "2026-11-25T00:50:12.600Z,j1,end,fold,1,,0,0,0,vm,cpu,finished\n");
  const auto& one = times.at("fold");
  EXPECT_NEAR(one.seconds, 4.5, 1e-6);
  EXPECT_EQ(one.starts, 1);
  EXPECT_EQ(one.ranks, 1);
  EXPECT_EQ(times_row("fold", one), "fold,cpu,vm,1,1,4.500,2026-11-25T00:50:12.600Z");
}

TEST(TargetTimes, AddUpResumesAndIgnoreKilledStart) {
  const auto times = times_from_rows(
      "2026-11-25T00:00:00Z,j1,start,a,1,run,0,0,0,vm,cpu,\n"
      "2026-11-25T00:00:10Z,j1,stop,a,1,,0,0,0,vm,cpu,\n"
      "2026-11-25T01:00:00Z,j2,start,a,1,run,0,0,0,vm,cpu,\n"  // killed
      "2026-11-25T02:00:00Z,j3,start,a,1,run,0,0,0,vm,gpu,\n"
      "2026-11-25T02:00:00Z,j3,start,a,1,run,0,0,1,vm,gpu,\n"
      "2026-11-25T02:00:05Z,j3,end,a,1,,0,0,0,vm,gpu,finished\n"
      "2026-11-25T02:00:06Z,j3,end,a,1,,0,0,1,vm,gpu,finished\n");
  const auto& one = times.at("a");
  EXPECT_NEAR(one.seconds, 15, 1e-6);
  EXPECT_EQ(one.starts, 3);
  EXPECT_EQ(one.ranks, 2);
  EXPECT_EQ(one.space, "gpu");
}

TEST(TargetTimes, RunningTargetHasNoEnd) {
  const auto times =
      times_from_rows("2026-11-25T00:00:00Z,j1,start,a,1,run,0,0,0,vm,cpu,\n2026-11-25T00:");
  EXPECT_EQ(times.at("a").ended, "");
  EXPECT_EQ(times.at("a").seconds, 0);
  EXPECT_TRUE(read_target_times("no-such-file").empty());
}

}  // namespace
}  // namespace nfold::batch
