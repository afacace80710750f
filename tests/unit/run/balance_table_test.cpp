// NAME.balance.csv: a row for each rank, cut to the checkpoint at a resume.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/balance_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace nfold::run {
namespace {

using testing::HasSubstr;
using testing::Not;

Assessment assessment(std::int64_t step) {
  return {step, 0.004, {{0.002, 30, 4}, {0.001, 10, 5}}, step == 200};
}

TEST(BalanceTable, ResumeCutsRowsAfterCheckpoint) {
  const std::filesystem::path path = testing::TempDir() + "nfold_table.balance.csv";
  std::filesystem::remove(path);
  const auto text = [&] {
    std::ifstream file(path);
    return std::string{std::istreambuf_iterator<char>(file), {}};
  };
  {
    BalanceTable table(path, std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(path));  // no row yet
    table.write(assessment(100), 1);
    table.write(assessment(200), 2);
    table.sync();
  }
  EXPECT_THAT(text(), HasSubstr("\n100,1,0.75,4,0,0,2,30,4\n100,1,0.75,4,0,1,1,10,5\n"));
  EXPECT_THAT(text(), HasSubstr("\n200,2,0.75,4,1,1,1,10,5\n"));
  BalanceTable resumed(path, 150);
  EXPECT_THAT(text(), Not(HasSubstr("\n200,")));
  resumed.write(assessment(300), 3);
  resumed.sync();
  EXPECT_THAT(text(), HasSubstr("\n100,1,0.75,4,0,1,1,10,5\n300,3,0.75"));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace nfold::run
