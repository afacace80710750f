// Columns of results.csv from the tables of a ladder: numbers or bounds.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/folding_result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <vector>

#include "analysis/thermodynamics/folding.hpp"
#include "io/observables_file.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::batch {
namespace {

using testing::HasSubstr;

/// Row of a ladder from 90 to 120 K with this heat capacity (4).
ResultRow ladder_row(const std::vector<double>& heat_capacity, double folding_kelvin,
                     std::optional<thermodynamics::PeakPosition> peak_position = {},
                     double barrier_kt = 2.5) {
  const test::TemporaryFolder folder;
  std::vector<io::ObservedTable> tables{
      {"exchange/temperature", "K", "", {2}, {90, 120}},
      {"thermodynamics/temperature", "K", "", {4}, {90, 100, 110, 120}},
      {"thermodynamics/heat_capacity", "kJ mol-1 K-1", "", {4}, heat_capacity},
      {"thermodynamics/folding_temperature", "K", "", {2}, {folding_kelvin, 0.5}},
      {"free_energy/barrier", "", "", {2}, {barrier_kt, 0.25}},
      {"thermodynamics/transitions", "", "", {2}, {6, 4}},
      {"exchange/round_trips", "", "", {2}, {6, 7}},
      {"convergence/starts", "", "", {1}, {0.01}},
      {"convergence/times_as_long", "", "", {1}, {1}}};
  if (peak_position) {
    tables.push_back(
        {"thermodynamics/maximum_place", "", "", {}, {static_cast<double>(*peak_position)}});
  }
  write_observables(folder / "ladder.h5", {}, tables);
  ResultRow row;
  FoldingFindings found;
  read_ladder(folder / "ladder.h5", 10, row, found);
  return row;
}

TEST(ReadLadder, ReportsInteriorMaximum) {
  const auto row = ladder_row({1, 3, 2, 1}, 102.5);
  EXPECT_EQ(row.get("folding_temperature_kelvin"), "102.5");
  EXPECT_EQ(row.get("folding_temperature_error_kelvin"), "0.5");
  EXPECT_EQ(row.get("barrier_kt"), "2.5");
  EXPECT_EQ(row.get("remark"), "");
  EXPECT_EQ(row.get("round_trips"), "13");
  EXPECT_EQ(row.get("free_energy"), "converged");
}

TEST(ReadLadder, ReportsBoundForMaximumAtEnd) {
  const auto low = ladder_row({3, 2, 1, 1}, 90);
  const auto high = ladder_row({1, 1, 2, 3}, 120);
  EXPECT_THAT(low.get("remark"), HasSubstr("at most 90.0 K, the lower end of the ladder"));
  EXPECT_THAT(high.get("remark"), HasSubstr("at least 120.0 K, the upper end of the ladder"));
  for (const auto& row : {low, high}) {
    for (const char* column : {"folding_temperature_kelvin", "folding_temperature_error_kelvin",
                               "barrier_kt", "barrier_error_kt"}) {
      EXPECT_EQ(row.get(column), "") << column;
    }
    EXPECT_EQ(row.get("round_trips"), "13");
  }
}

TEST(ReadLadder, ReportsBoundForInsignificantMaximum) {
  using thermodynamics::PeakPosition;
  const auto low = ladder_row({2.9, 3, 2, 1}, 90.17, PeakPosition::at_lower_end);
  const auto high = ladder_row({1, 2, 3, 2.9}, 119.5, PeakPosition::at_upper_end);
  const auto flat = ladder_row({2.9, 3, 3, 2.9}, 103, PeakPosition::nowhere);
  EXPECT_THAT(low.get("remark"),
              HasSubstr("folding temperature at most 90.2 K: the heat capacity is highest there, "
                        "but not by more than its error above that at 90.0 K, the lower end"));
  EXPECT_THAT(high.get("remark"), HasSubstr("at least 119.5 K"));
  EXPECT_THAT(flat.get("remark"), HasSubstr("no folding temperature from 90.0 to 120.0 K"));
  for (const auto& row : {low, high, flat}) {
    EXPECT_EQ(row.get("folding_temperature_kelvin"), "");
    EXPECT_EQ(row.get("barrier_kt"), "");
  }
  const auto inside = ladder_row({2.9, 3, 2, 1}, 90.17, PeakPosition::inside);
  EXPECT_EQ(inside.get("remark"), "");
  EXPECT_EQ(inside.get("folding_temperature_kelvin"), "90.17");
}

TEST(ReadLadder, LeavesUnsampledBarrierEmpty) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto row = ladder_row({1, 3, 2, 1}, 102.5, thermodynamics::PeakPosition::inside, none);
  EXPECT_EQ(row.get("folding_temperature_kelvin"), "102.5");
  EXPECT_EQ(row.get("barrier_kt"), "");
  EXPECT_EQ(row.get("remark"), "no barrier: no sample has Q between both basins");
}

TEST(ReadLadder, NamesTooFewTransitions) {
  const auto row =
      ladder_row({1, 3, 2, 1}, 102.5, thermodynamics::PeakPosition::too_few_transitions);
  EXPECT_THAT(row.get("remark"), HasSubstr("no folding temperature from 90.0 to 120.0 K: replicas "
                                           "folded 6 times and unfolded 4 times of the wanted 5"));
  EXPECT_EQ(row.get("folding_temperature_kelvin"), "");
  EXPECT_EQ(row.get("barrier_kt"), "");
  EXPECT_EQ(row.get("free_energy"), "not converged");
}

TEST(ReadLadder, NamesTemperaturesWithoutOverlap) {
  const test::TemporaryFolder folder;
  const std::vector<io::ObservedTable> tables{
      {"exchange/temperature", "K", "", {3}, {90, 100, 200}},
      {"convergence/overlap", "", "", {2}, {0.21, 0.0004}},
      {"exchange/round_trips", "", "", {2}, {6, 7}},
      {"convergence/starts", "", "", {1}, {0.01}},
      {"convergence/times_as_long", "", "", {1}, {1}}};
  write_observables(folder / "ladder.h5", {}, tables);
  ResultRow row;
  FoldingFindings found;
  read_ladder(folder / "ladder.h5", 10, row, found);
  EXPECT_EQ(row.get("remark"),
            "no folding temperature from 90.0 to 200.0 K: samples of neighbouring temperatures "
            "overlap too little: 100.0 K and 200.0 K (overlap 0.000)");
  EXPECT_EQ(row.get("folding_temperature_kelvin"), "");
  EXPECT_EQ(row.get("free_energy"), "not converged");
  EXPECT_EQ(highest_capacity_kelvin(folder / "ladder.h5"), std::nullopt);
}

/// Four replicas and two samples: the third replica has folded at the second sample.
TEST(ReadKinetics, FillsFindingsAndVerdict) {
  const test::TemporaryFolder folder;
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<io::ObservedTable> tables{
      {"kinetics/time", "ps", "", {2}, {0, 2000}},
      {"kinetics/folding_replicas", "", "", {1, 2}, {4, 1}},
      {"kinetics/folding_mean_time", "ps", "", {1, 3}, {7000, 1250, 280'000}},
      {"kinetics/folding_median_time", "ps", "", {1}, {none}},
      {"kinetics/folding_time", "ps", "", {4}, {none, none, 2000, none}},
      {"samples/native_fraction", "", "", {2, 4}, {0.1, 0.625, 0.2, 0.1, 0.3, 0.2, 0.9, 0.5}}};
  write_observables(folder / "kinetics.h5", {}, tables);
  ResultRow row;
  FoldingFindings found;
  found.budget_gpu_seconds = 10;
  found.round_trips = 4;
  found.starts_differ_in_q = 0.01;
  read_kinetics(folder / "kinetics.h5", row, found);
  EXPECT_EQ(found.replicas, 4);
  EXPECT_EQ(found.folded, 1);
  EXPECT_DOUBLE_EQ(found.end_ns, 2);
  EXPECT_DOUBLE_EQ(found.nearest_native_fraction, 0.625);
  EXPECT_EQ(row.get("folded_fraction"), "0.25");
  EXPECT_EQ(row.get("mean_folding_time_ns"), "7");
  EXPECT_EQ(row.get("verdict"), "partly");
  EXPECT_THAT(row.get("reason"), HasSubstr("1 of 4 replicas folded within 2 ns"));
  EXPECT_THAT(row.get("reason"), HasSubstr("4 round trips of the wanted 10"));
}

}  // namespace
}  // namespace nfold::batch
