// Decisions of load balancing: few lines, all counted.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/balance_log.hpp"

#include <gtest/gtest.h>

namespace nfold::run {
namespace {

using domain::RebalanceOutcome;

TEST(BalanceLog, WritesRepeatedDecisionsEverMoreRarely) {
  BalanceLog log;
  int lines = 0;
  std::string last;
  for (int k = 0; k < 100; ++k) {
    const auto line = log.record({RebalanceOutcome::resting, 0, "step " + std::to_string(k)});
    lines += line.empty() ? 0 : 1;
    if (!line.empty()) last = line;
  }
  EXPECT_EQ(lines, 7);  // 1, 2, 4 ... 64
  EXPECT_EQ(last, "step 63 (64 such assessments so far)");
  EXPECT_EQ(log.record({RebalanceOutcome::waiting, 0, "another"}), "another");
  EXPECT_EQ(log.record({}), "") << "a balanced load needs no line";
}

TEST(BalanceLog, SummaryHasCountsAndLargestGain) {
  BalanceLog log;
  EXPECT_EQ(describe(log.counts()), "");
  for (int k = 0; k < 30; ++k) {
    (void)log.record({RebalanceOutcome::gain_below_cost, 0.04 * k / 29, "line"});
  }
  for (int k = 0; k < 8; ++k) (void)log.record({RebalanceOutcome::waiting, 0, "line"});
  EXPECT_EQ(describe(log.counts()),
            "load balance: 38 assessments, 0 repartitions: 8 waiting, 30 gain below cost (largest "
            "gain 4.0 % of a step)");
  (void)log.record({RebalanceOutcome::moved, 0.3});
  const auto counts = log.counts();
  EXPECT_EQ(counts.assessments, 39);
  EXPECT_EQ(counts.repartitions, 1);
  EXPECT_DOUBLE_EQ(counts.largest_gain_share, 0.04);
}

}  // namespace
}  // namespace nfold::run
