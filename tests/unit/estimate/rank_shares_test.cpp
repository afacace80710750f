// Times of a target on several ranks, and the times at which ranks are free.
// SPDX-License-Identifier: BSD-3-Clause
#include "estimate/rank_shares.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace nfold::estimate {
namespace {

/// Target with ideal scaling over at most `most` ranks.
SecondsByRanks ideal_seconds(double alone, int most = 1000) {
  return SecondsByRanks(most, [=](int ranks) { return alone / ranks; });
}
TEST(SecondsByRanks, InterpolatesLinearlyInInverse) {
  const auto seconds = ideal_seconds(600, 100);
  EXPECT_EQ(seconds.most(), 100);
  for (int ranks = 1; ranks <= 100; ++ranks) EXPECT_NEAR(seconds.on(ranks), 600.0 / ranks, 1e-9);
  const SecondsByRanks alone(7);
  EXPECT_EQ(alone.most(), 1);
  EXPECT_EQ(alone.on(1), 7);
  // A rank computes 16 replicas at once: 64 take as long on 4 ranks as on 7.
  const SecondsByRanks lanes(64, [](int ranks) { return 10.0 * std::ceil(64.0 / (16 * ranks)); });
  for (int ranks = 1; ranks <= 8; ++ranks) {
    EXPECT_EQ(lanes.on(ranks), 10.0 * std::ceil(64.0 / (16 * ranks))) << ranks;
  }
  EXPECT_EQ(lanes.fewest_within(10), 4);
  EXPECT_EQ(lanes.fewest_within(25), 2);
  EXPECT_EQ(lanes.fewest_within(40), 1);
  EXPECT_EQ(lanes.fewest_within(1), 4) << "none is so fast, and no more ranks than serve";
}

TEST(SecondsByRanks, NeverRisesWithRanks) {
  const SecondsByRanks seconds(100, [](int ranks) { return 10.0 / ranks + 0.1 * ranks; });
  for (int ranks = 2; ranks <= 200; ++ranks) {
    EXPECT_LE(seconds.on(ranks), seconds.on(ranks - 1)) << ranks;
  }
  EXPECT_EQ(seconds.fewest_within(0), 10);
  EXPECT_EQ(seconds.on(100), 2);
}

TEST(FreeRanks, GiveTargetToFirstFreeRank) {
  FreeRanks free(2);
  EXPECT_EQ(free.take(1, 5), 0);
  EXPECT_EQ(free.take(1, 2), 0);
  EXPECT_EQ(free.take(1, 4), 2);
  EXPECT_EQ(free.take(2, 6), 6) << "who comes first waits";
  EXPECT_EQ(free.last(), 12);
}

}  // namespace
}  // namespace nfold::estimate
