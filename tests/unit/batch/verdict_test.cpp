// Folding verdict of a target and its reason.
// SPDX-License-Identifier: BSD-3-Clause
#include "batch/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nfold::batch {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Findings on 16 replicas over 20 ns, `folded` of which folded, with 300 s of an H200.
FoldingFindings findings(std::int64_t folded) {
  FoldingFindings found;
  found.replicas = 16;
  found.folded = folded;
  found.end_ns = 20;
  found.round_trips = 23;
  found.starts_differ_in_q = 0.02;
  found.budget_gpu_seconds = 300;
  return found;
}

TEST(Verdict, DependsOnFoldedFraction) {
  EXPECT_EQ(judge_folding(findings(16)).verdict, "folds");
  EXPECT_EQ(judge_folding(findings(8)).verdict, "folds");
  EXPECT_EQ(judge_folding(findings(7)).verdict, "partly");
  EXPECT_EQ(judge_folding(findings(1)).verdict, "partly");
  EXPECT_EQ(judge_folding(findings(0)).verdict, "not in this time");
  EXPECT_EQ(judge_folding({}).verdict, "not in this time");
}

TEST(Verdict, ReportsMedianTime) {
  auto found = findings(12);
  found.median_ns = 7.5;
  const auto reason = judge_folding(found).reason;
  EXPECT_THAT(reason,
              HasSubstr("12 of 16 replicas folded within 20 ns, half of them within 7.5 ns"));
  EXPECT_THAT(reason, HasSubstr("the free energy is converged, with 23 round trips"));
  EXPECT_THAT(reason, Not(HasSubstr("would be needed")));
}

TEST(Verdict, ReportsFactorOfStepsForHalf) {
  auto found = findings(4);
  found.mean_ns = 86.6;  // with exponential times half have folded after 60 ns
  const auto reason = judge_folding(found).reason;
  EXPECT_THAT(reason, HasSubstr("4 of 16 replicas folded within 20 ns; about 3 times the steps"));
  EXPECT_THAT(reason, HasSubstr("a budget of about 900 s"));
}

TEST(Verdict, ReportsBoundIfNoneFolded) {
  auto found = findings(0);
  found.mean_low_ns = 86.6;
  found.nearest_native_fraction = 0.62;
  const auto reason = judge_folding(found).reason;
  EXPECT_THAT(reason, HasSubstr("none of 16 replicas folded within 20 ns, the nearest came to Q = "
                                "0.62; more than 3 times the steps"));
  found.replicas = 1;
  found.mean_low_ns = 5;
  EXPECT_THAT(judge_folding(found).reason, HasSubstr("is not known from 1 replica;"));
}

TEST(Verdict, ReportsMissingConvergence) {
  auto found = findings(16);
  found.round_trips = 4;
  found.starts_differ_in_q = 0.2;
  EXPECT_FALSE(has_converged(found));
  EXPECT_THAT(judge_folding(found).reason, HasSubstr("4 round trips of the wanted 10, both starts "
                                                     "differ by 0.20 in Q"));
  found.starts_differ_in_q = 0.05;
  EXPECT_FALSE(has_converged(found));
  EXPECT_THAT(judge_folding(found).reason, Not(HasSubstr("differ")));
  found.round_trips = 10;
  EXPECT_TRUE(has_converged(found));
  found.starts_differ_in_q = FoldingFindings::unknown;
  EXPECT_FALSE(has_converged(found));
}

}  // namespace
}  // namespace nfold::batch
