// CSV of energies after a resume: whole rows without duplicates.
// SPDX-License-Identifier: BSD-3-Clause

#include "io/csv.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "temporary_folder.hpp"

namespace nfold {
namespace {

using test::read_file;
using test::TemporaryFolder;
using test::write_file;

TEST(Csv, ResumeDropsTornAndLaterRows) {
  const TemporaryFolder folder;
  const std::vector<std::string> columns = {"time_ps", "bond_kj_mol"};
  {
    auto csv = io::CsvWriter::create(folder / "e.csv", columns);
    for (int i = 0; i < 5; ++i)
      csv.write_row(std::int64_t{10} * i, std::vector<double>{0.1 * i, 1.0 / 3});
    csv.sync();
  }
  write_file(folder / "e.csv", read_file(folder / "e.csv") + "50,0.5,0.33");  // torn
  {
    auto csv = io::CsvWriter::append(folder / "e.csv", columns, 20);
    csv.write_row(30, std::vector<double>{7, 8});
    csv.flush();
  }
  EXPECT_EQ(read_file(folder / "e.csv"),
            "step,time_ps,bond_kj_mol\n0,0,0.3333333333333333\n10,0.1,0.3333333333333333\n"
            "20,0.2,0.3333333333333333\n30,7,8\n");
  EXPECT_THROW((void)io::CsvWriter::append(folder / "e.csv", {"time_ps"}, 20), storage::FileError);
  write_file(folder / "e.csv", "step,time_ps,bond_kj_mol\nnonsense\n");
  EXPECT_THROW((void)io::CsvWriter::append(folder / "e.csv", columns, 20), storage::FileError);
}

TEST(Csv, ResumeKeepsComment) {
  const TemporaryFolder folder;
  const auto resume = [&] {
    auto csv = io::CsvWriter::append(folder / "e.csv", {"time_ps"}, 10, 1);
    csv.write_row(20, std::vector<double>{7});
    csv.flush();
    return read_file(folder / "e.csv");
  };
  {
    auto csv = io::CsvWriter::create(folder / "e.csv", {"time_ps"}, "step is a count");
    for (const std::int64_t step : {10, 15}) csv.write_row(step, std::vector<double>{0.1});
    csv.sync();
  }
  EXPECT_EQ(resume(), "step,time_ps\n# step is a count\n10,0.1\n20,7\n");
  write_file(folder / "e.csv", "step,time_ps\n10,0.1\n");
  EXPECT_EQ(resume(), "step,time_ps\n10,0.1\n20,7\n");
}

}  // namespace
}  // namespace nfold
