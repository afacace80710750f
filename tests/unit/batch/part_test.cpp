// Parts of a list: their names, their targets and their merged ledgers.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "batch/folder.hpp"
#include "batch/ledger.hpp"
#include "core/input_error.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

using testing::ElementsAre;

TEST(Part, ParsesNumberAndCount) {
  EXPECT_EQ(parse_part("2/4").number, 2);
  EXPECT_EQ(parse_part("2/4").of, 4);
  for (const char* text : {"0/4", "5/4", "4", "a/4", "1/", "/4", "1/2/3", "-1/4", "1/1000000"}) {
    EXPECT_THROW((void)parse_part(text), core::InputError) << text;
  }
}

TEST(Part, HasOwnFiles) {
  BatchFolder folder{"list.out"};
  EXPECT_EQ(folder.running(), "list.out/running.csv");
  EXPECT_EQ(part_infix({1, 1}), "");
  folder.part = part_infix({2, 4});
  EXPECT_EQ(folder.running(), "list.out/running.part-2-of-4.csv");
  EXPECT_EQ(folder.status(), "list.out/batch.part-2-of-4.status");
  EXPECT_EQ(folder.rank_status(3), "list.out/batch.part-2-of-4.rank-3.status");
  EXPECT_EQ(folder.result("a"), "list.out/a/a.result.csv");
}

// By hand: 8 goes to the first part, both 4 to the second, 2 to the part with fewer targets.
TEST(AssignParts, GivesCostliestToLeastLoadedPart) {
  EXPECT_THAT(assign_parts(std::vector<double>{4, 8, 4, 2}, 2), ElementsAre(2, 1, 2, 1));
  EXPECT_THAT(assign_parts(std::vector<double>{1, 1}, 3), ElementsAre(1, 2));
  EXPECT_THAT(assign_parts(std::vector<double>{}, 3), ElementsAre());
  // Targets without cost, as broken ones, are assigned too.
  EXPECT_THAT(assign_parts(std::vector<double>{0, 0, 0, 0}, 2), ElementsAre(1, 2, 1, 2));
}

TEST(AssignParts, IgnoresRoundingOfSeconds) {
  std::vector<double> here, there;
  for (int k = 1; k <= 200; ++k) {
    here.push_back(std::sqrt(k % 17 + 0.3) * 3.7);
    there.push_back(std::nextafter(here.back(), k % 2 == 0 ? 0 : 1e9));
  }
  EXPECT_EQ(assign_parts(here, 7), assign_parts(there, 7));
}

TEST(Ledger, MergesAllPartsByTime) {
  const test::TemporaryFolder temporary;
  const auto row = [](const char* hour, const char* target) {
    return std::string("2026-11-25T") + hour + ":00:00.000Z,job,start," + target +
           ",1,run,0,0,0,host,cpu,\n";
  };
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(temporary.path() / name) << text;
  };
  write("running.csv", "time,job,event,target,attempt,stage,step,alone,rank,host,space,detail\n" +
                           row("01", "a") + row("04", "d"));
  write("running.part-1-of-2.csv", row("03", "c"));
  write("running.part-2-of-2.csv", row("02", "b") + "2026-11-25T05:00:00.000Z,torn");
  write("results.csv", row("02", "none"));
  std::vector<std::string> targets;
  for (const auto& entry : read_ledger(temporary.path() / "running.part-2-of-2.csv")) {
    EXPECT_EQ(entry.space, "cpu");
    targets.push_back(entry.target);
  }
  EXPECT_THAT(targets, ElementsAre("a", "b", "c", "d"));
}

}  // namespace
}  // namespace nfold::batch
