// How long lists and halo plans are expected to last.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "dynamics/move_pace.hpp"
#include "halo/cuda/plan_pace.hpp"

namespace nfold::dynamics {
namespace {

TEST(PlanPace, ForeseesTheSameMoveOfEachBlock) {
  halo::PlanPace pace;
  for (const double move_nm : {0.2, 0.4, 0.6}) pace.learn(move_nm);
  EXPECT_DOUBLE_EQ(pace.move_after(0), 0.6);
  EXPECT_NEAR(pace.move_after(3), 1.2, 1e-12);
}

TEST(PlanPace, GoesByTheFasterOfTheLastBlockAndTheirMean) {
  halo::PlanPace pace;
  pace.learn(0.1);
  pace.learn(0.6);
  EXPECT_NEAR(pace.move_after(1), 1.1, 1e-12);
  pace.learn(0.6);
  EXPECT_NEAR(pace.move_after(1), 0.8, 1e-12);
}

TEST(PlanPace, BeginsAnewWithAPlan) {
  halo::PlanPace pace;
  pace.learn(0.5);
  pace = {};
  EXPECT_EQ(pace.move_after(4), 0);
  pace.learn(0.1);
  EXPECT_NEAR(pace.move_after(2), 0.3, 1e-12);
}

TEST(MovePace, LastsAsLongAsHalfTheSkinLessAMargin) {
  MovePace pace;
  for (int block = 0; block < 200; ++block) pace.learn(20, 0.1);
  // The scatter has died away: 0.15 nm at 0.005 nm a step, and the step that reaches it.
  EXPECT_NEAR(static_cast<double>(pace.lifetime(0.3)), 31, 1);
  EXPECT_NEAR(static_cast<double>(pace.lifetime(0.6)), 61, 1);
  const auto before = pace.lifetime(0.3);
  pace.was_too_slow();
  EXPECT_LT(pace.lifetime(0.3), before);
}

}  // namespace
}  // namespace nfold::dynamics
