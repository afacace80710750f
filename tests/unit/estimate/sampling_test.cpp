// Expected standard errors from finished runs of the same species.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "estimate/history.hpp"
#include "unit/io/temporary_folder.hpp"

namespace nfold::estimate {
namespace {

SampledRow row(const std::string& species, double residues, double sampled_ps, double error) {
  return {{"2026-11-25T18:00:00Z", "n1", "1"},
          "calvados2",
          {"radius of gyration [nm]", species, residues, sampled_ps, 3, error, "300 K"}};
}
SampledMean planned(const std::string& species, double residues, double sampled_ps) {
  return {"radius of gyration [nm]", species, residues, sampled_ps, 0, 0, "300 K"};
}

TEST(Sampling, RowsShareFileWithSteps) {
  const test::TemporaryFolder folder;
  const auto file = folder / "history.sqlite";
  EXPECT_TRUE(sampled_rows(file, "calvados2").empty()) << "there is no file";
  append(file, StepRow{});
  EXPECT_TRUE(sampled_rows(file, "calvados2").empty()) << "there is no such table";
  append(file, row("A1", 135, 1e5, 0.02));
  append(file, row("DSS1", 71, 2e5, 0.01));
  const auto rows = sampled_rows(file, "calvados2");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].mean.of, "DSS1");
  EXPECT_EQ(rows[1].mean.observable, "radius of gyration [nm]");
  EXPECT_EQ(rows[1].mean.residues, 135);
  EXPECT_EQ(rows[1].mean.sampled_ps, 1e5);
  EXPECT_EQ(rows[1].mean.mean, 3);
  EXPECT_EQ(rows[1].mean.standard_error, 0.02);
  EXPECT_EQ(rows[1].mean.state, "300 K");
  EXPECT_TRUE(sampled_rows(file, "mpipi").empty());
  EXPECT_EQ(step_rows(file, "", false).size(), 1U);
}

TEST(Sampling, ErrorsScaleWithRootOfTime) {
  const auto found = expected_errors({row("A1", 135, 1e5, 0.02)}, {planned("A1", 135, 4e5)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].mean.standard_error, 0.01);
  EXPECT_DOUBLE_EQ(found[0].mean.mean, 3);
  EXPECT_EQ(found[0].runs, 1);
}

TEST(Sampling, VariancesOfRunsAreAveraged) {
  const auto found = expected_errors({row("A1", 135, 1e5, 0.03), row("A1", 135, 4e5, 0.02)},
                                     {planned("A1", 135, 2e5)});
  ASSERT_EQ(found.size(), 1U);
  // Mean of 90 and 160 nm2 ps, over 2 10^5 ps.
  EXPECT_NEAR(found[0].mean.standard_error, std::sqrt(125 / 2e5), 1e-12);
  EXPECT_EQ(found[0].runs, 2);
}

TEST(Sampling, ReportsScatterOfMeans) {
  auto one = row("A1", 135, 1e5, 0.02), other = row("A1", 135, 1e5, 0.01);
  const auto scatter = [&](double apart) {
    other.mean.mean = one.mean.mean + apart;
    return expected_errors({one, other}, {planned("A1", 135, 1e5)})[0].scatter;
  };
  // A difference of one standard error, the root of the sum of both variances, has scatter 1.
  const double expected = std::hypot(0.02, 0.01);
  EXPECT_NEAR(scatter(expected), 1, 1e-9);
  EXPECT_NEAR(scatter(5 * expected), 5, 1e-9);
  EXPECT_NEAR(scatter(0), 0, 1e-6);
  EXPECT_EQ(expected_errors({one}, {planned("A1", 135, 1e5)})[0].scatter, 0) << "one run";
}

TEST(Sampling, UsesRunsOfSameStateAndLengthOnly) {
  auto warm = row("A1", 135, 1e5, 0.5);
  warm.mean.state = "350 K";
  const std::vector<SampledRow> rows{warm, row("other", 135, 1e5, 0.5), row("A1", 135, 1e4, 0.5),
                                     row("A1", 135, 1e5, 0.02)};
  const auto found = expected_errors(rows, {planned("A1", 135, 1e5)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].runs, 1);
  EXPECT_DOUBLE_EQ(found[0].mean.standard_error, 0.02);
  EXPECT_TRUE(expected_errors(rows, {planned("A1", 135, 1e6)}).empty()) << "much longer";
  EXPECT_TRUE(expected_errors(rows, {planned("new", 130, 1e5)}).empty()) << "another species";
  auto cold = planned("A1", 135, 1e5);
  cold.state = "250 K";
  EXPECT_TRUE(expected_errors(rows, {cold}).empty()) << "another temperature";
  auto density = planned("A1", 135, 1e5);
  density.observable = "density of the middle [mg/ml]";
  EXPECT_TRUE(expected_errors(rows, {density}).empty()) << "another observable";
}

}  // namespace
}  // namespace nfold::estimate
