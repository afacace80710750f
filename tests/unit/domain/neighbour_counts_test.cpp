// Expected longest neighbour list from a sample of the rows.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "domain/rank_counts.hpp"

namespace nfold::domain {
namespace {

struct Counted {
  const char* system;
  double mean, deviation, skewness;
  std::int64_t rows;
  double longest;
};

/// Chains of 150 residues, a third of them charged, CALVADOS 2 from a random start. Neighbours are
/// counted by scipy.spatial.cKDTree within 2.3 nm, between charges within 4.3 nm. Values up to
/// 20,000 rows are means of six starts.
constexpr Counted coils[] = {
    {"60 mg/ml", 44.3, 19.0, 0.76, 19'950, 134.3},
    {"60 mg/ml", 44.2, 18.84, 0.77, 400'050, 147},
    {"60 mg/ml, charges", 67.6, 26.8, 0.58, 7'980, 173.8},
    {"60 mg/ml, charges", 67.4, 26.14, 0.54, 160'020, 193},
    {"200 mg/ml", 73.1, 25.1, 0.34, 19'950, 166.7},
    {"200 mg/ml", 73.3, 25.16, 0.36, 400'050, 193},
    {"200 mg/ml, charges", 157.2, 35.8, 0.23, 7'980, 283.8},
    {"200 mg/ml, charges", 157.4, 35.49, 0.20, 160'020, 309},
    {"340 mg/ml", 106.0, 27.2, 0.08, 19'950, 200.2},
    {"340 mg/ml", 105.7, 26.64, 0.03, 400'050, 208},
    {"340 mg/ml, charges", 253.7, 38.7, 0.0, 7'980, 370.8},
    {"340 mg/ml, charges", 253.2, 37.72, 0.02, 160'020, 425},
};

TEST(NeighbourCounts, PredictsLongestListOfRandomCoils) {
  for (const auto& one : coils) {
    const NeighbourCounts::Spread spread{one.mean, one.deviation, one.skewness};
    EXPECT_NEAR(spread.expected_longest(one.rows), one.longest, 0.08 * one.longest)
        << one.system << ", " << one.rows;
  }
}

TEST(NeighbourCounts, ComputesMoments) {
  const auto spread = NeighbourCounts{.sample = {1, 1, 1, 5}}.spread();
  EXPECT_DOUBLE_EQ(spread.mean, 2);
  EXPECT_DOUBLE_EQ(spread.deviation, std::sqrt(3));
  EXPECT_DOUBLE_EQ(spread.skewness, 2 / std::sqrt(3));
}

TEST(NeighbourCounts, ExtrapolatesLongestToMoreRows) {
  NeighbourCounts counts{.rows = 1000, .sample = {}};
  EXPECT_EQ(counts.longest(), 0);
  for (int k = 0; k < 1000; ++k) counts.sample.push_back(90 + k % 21);
  EXPECT_EQ(counts.longest(), 110) << "all were counted";
  int before = 110;
  for (const std::int64_t rows : {10'000, 1'000'000, 100'000'000}) {
    counts.rows = rows;
    EXPECT_GT(counts.longest(), before);
    before = counts.longest();
  }
  EXPECT_LT(before, 130);
  // A few rows with few neighbours must not lower the estimate below the counted maximum.
  for (int k = 0; k < 50; ++k) counts.sample.push_back(0);
  EXPECT_LT(counts.spread().skewness, 0);
  EXPECT_GT(counts.longest(), 110);
}

}  // namespace
}  // namespace nfold::domain
