// Means and errors by blocking, for series with known values.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/blocked_sums.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/frame.hpp"
#include "chains.hpp"

namespace {

using nfold::analysis::AnalysisError;
using nfold::analysis::BlockedSums;
using nfold::analysis::to_fixed_point;
using nfold::analysis::WordReader;
using nfold::analysis::WordWriter;
using nfold::analysis_tests::Random;

// x(t) = rho x(t - 1) + sqrt(1 - rho^2) noise, in units of 2^-20.
std::vector<std::int64_t> correlated(double rho, int count, std::uint32_t seed) {
  Random random(seed);
  std::vector<std::int64_t> series;
  double x = random.nearly_normal();
  for (int t = 0; t < count; ++t) {
    series.push_back(to_fixed_point(x, 0x1p-20, "x"));
    x = rho * x + std::sqrt(1 - rho * rho) * random.nearly_normal();
  }
  return series;
}

double series_error(const std::vector<std::int64_t>& series) {
  BlockedSums sums(1);
  for (const auto value : series) sums.add({&value, 1});
  return sums.error(0) * 0x1p-20;
}

TEST(BlockedSums, MeansAreExact) {
  BlockedSums sums(2);
  for (std::int64_t t = 0; t < 11; ++t) {
    const std::int64_t row[] = {t, -3};
    sums.add(row);
  }
  EXPECT_EQ(sums.rows(), 11);
  EXPECT_EQ(sums.mean(0), 5);
  EXPECT_EQ(sums.mean(1), -3);
  EXPECT_EQ(sums.error(1), 0);
}

TEST(BlockedSums, FewRowsGiveStandardError) {
  // 0 and 2 alternate in 8 rows: variance 8/7, error sqrt(1/7). All pairs have the same mean.
  BlockedSums sums(1);
  for (std::int64_t t = 0; t < 8; ++t) {
    const std::int64_t row[] = {t % 2 * 2};
    EXPECT_TRUE(std::isnan(sums.error(0)));
    sums.add(row);
  }
  EXPECT_DOUBLE_EQ(sums.error(0), std::sqrt(1.0 / 7));
}

TEST(BlockedSums, NoiseErrorIsDeviationOverRootOfCount) {
  const int count = 16384;
  const double expected = 1 / std::sqrt(count);
  const double found = series_error(correlated(0, count, 1));
  EXPECT_GT(found, 0.95 * expected);
  EXPECT_LT(found, 2 * expected);  // largest of all levels; the last level has few blocks
}

TEST(BlockedSums, CorrelatedSeriesHasTrueError) {
  const int count = 16384;
  const double rho = 0.9;  // (1 + rho) / (1 - rho) = 19 samples per independent one
  const double expected = std::sqrt(19.0 / count);
  double sum = 0;
  for (std::uint32_t seed = 1; seed <= 8; ++seed) sum += series_error(correlated(rho, count, seed));
  EXPECT_GT(sum / 8, 0.9 * expected);
  EXPECT_LT(sum / 8, 1.6 * expected);
}

TEST(BlockedSums, KeepsDigitsOfSmallSpreadOfLargeNumbers) {
  BlockedSums near_zero(1), far(1);
  for (const auto value : correlated(0.5, 1000, 3)) {
    const std::int64_t shifted = value + (std::int64_t{1} << 52);
    near_zero.add({&value, 1});
    far.add({&shifted, 1});
  }
  EXPECT_NEAR(far.error(0) / near_zero.error(0), 1, 1e-12);
}

TEST(BlockedSums, ResumesFromSavedState) {
  const auto series = correlated(0.5, 301, 4);
  BlockedSums whole(1), first(1), second(1);
  for (const auto value : series) whole.add({&value, 1});
  for (std::size_t t = 0; t < 173; ++t) first.add({&series[t], 1});
  WordWriter half, all, resumed;
  first.save(half);
  WordReader reader(half.words());
  second.restore(reader);
  for (std::size_t t = 173; t < series.size(); ++t) second.add({&series[t], 1});
  whole.save(all);
  second.save(resumed);
  EXPECT_EQ(all.words(), resumed.words());

  WordReader again(half.words());
  BlockedSums other(2);
  EXPECT_THROW(other.restore(again), std::out_of_range);
}

TEST(BlockedSums, RefusesNonFiniteAndOverflowingValues) {
  EXPECT_EQ(to_fixed_point(-1.25, 0.25, "x"), -5);
  EXPECT_THROW((void)to_fixed_point(std::nan(""), 1, "x"), AnalysisError);
  EXPECT_THROW((void)to_fixed_point(1e300, 1, "x"), AnalysisError);
  BlockedSums sums(1);
  const std::int64_t half = std::int64_t{1} << 62;
  sums.add({&half, 1});
  EXPECT_THROW(sums.add({&half, 1}), AnalysisError);
}

}  // namespace
