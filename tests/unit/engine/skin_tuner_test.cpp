// Tuning of the skin against made-up costs.
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/skin_tuner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace nfold::engine {
namespace {

/// Made-up cost of a step with its minimum at `best` [s].
double seconds_a_step(double skin, double best) {
  const double off = std::log(skin / best);
  return 1e-3 * (1 + off * off);
}

double tune(SkinTuner& tuner, double skin, double best, int lists) {
  for (int k = 0; k < lists; ++k) skin = tuner.next(20, 20 * seconds_a_step(skin, best));
  return skin;
}

TEST(SkinTuner, FindsTheBestSkinFromBothSides) {
  for (const double first : {0.08, 0.3, 0.9}) {
    for (const double best : {0.12, 0.3, 0.6}) {
      SkinTuner tuner(first);
      const double skin = tune(tuner, first, best, 60);
      EXPECT_LT(std::abs(std::log(skin / best)), std::log(1.26)) << first << " to " << best;
    }
  }
}

/// The cost has a local minimum at 0.2 nm and a lower one further away.
TEST(SkinTuner, CrossesLocalMaximum) {
  SkinTuner tuner(0.2);
  double skin = 0.2;
  for (int k = 0; k < 60; ++k) {
    const double bump = std::abs(std::log(skin / 0.25)) < 0.1 ? 0.3 : 0;
    skin = tuner.next(20, 20 * (seconds_a_step(skin, 0.4) + 1e-3 * bump));
  }
  EXPECT_GT(skin, 0.3);
}

/// One measurement in four is 5 % too low or too high; the result must not depend on which.
TEST(SkinTuner, ToleratesMeasurementErrors) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::minstd_rand random(seed);
    SkinTuner tuner(0.1);
    double skin = 0.1;
    for (int k = 0; k < 300; ++k) {
      const auto dice = random() % 8;
      const double error = dice == 0 ? -0.05 : dice == 1 ? 0.05 : 0;
      skin = tuner.next(60, 60 * seconds_a_step(skin, 0.4) * (1 + error));
    }
    EXPECT_LT(std::abs(std::log(skin / 0.4)), std::log(1.3)) << seed;
  }
}

TEST(SkinTuner, FollowsChangingSystem) {
  SkinTuner tuner(0.2);
  const double early = tune(tuner, 0.2, 0.2, 60);
  const double late = tune(tuner, early, 0.5, 4000);
  EXPECT_LT(std::abs(std::log(late / 0.5)), std::log(1.26));
}

TEST(SkinTuner, StaysWithinBounds) {
  SkinTuner tuner(0.2);
  double skin = 0.2;
  for (int k = 0; k < 500; ++k) {
    skin = tuner.next(20, 20 * 1e-3 / skin);  // ever cheaper
    EXPECT_LE(skin, 1.0);
    EXPECT_GE(skin, 0.05);
  }
}

TEST(SkinTuner, RespectsSkinLimit) {
  SkinTuner tuner(0.2);
  tuner.limit_skin(0.27);
  double skin = 0.2;
  for (int k = 0; k < 500; ++k) {
    skin = tuner.next(60, 60 * seconds_a_step(skin, 0.6));
    EXPECT_LE(skin, 0.27);
  }
  EXPECT_GT(skin, 0.24);
}

/// Even the best skin shrinks at once; shorter skins are tried again, longer ones are not.
TEST(SkinTuner, ShrinksIfListsExceedCapacity) {
  SkinTuner tuner(0.2);
  double skin = tune(tuner, 0.2, 0.5, 60);
  ASSERT_GT(skin, 0.4);
  skin = tuner.shorten_skin_to(0.33);
  EXPECT_DOUBLE_EQ(skin, 0.33);
  EXPECT_FALSE(tuner.is_settled());
  bool tried_another = false;
  for (int k = 0; k < 60; ++k) {
    skin = tuner.next(20, 20 * seconds_a_step(skin, 0.5));
    tried_another = tried_another || skin < 0.33;
    EXPECT_LE(skin, 0.33);
  }
  EXPECT_TRUE(tried_another);
  EXPECT_DOUBLE_EQ(skin, 0.33);
}

TEST(SkinTuner, ReturnsToBestFittingSkin) {
  SkinTuner tuner(0.2);
  EXPECT_DOUBLE_EQ(tuner.shorten_skin_to(0.33), 0.2);
}

TEST(SkinTuner, TriesLongerSkinsForFewResidues) {
  EXPECT_DOUBLE_EQ(SkinTuner::longest_nm(0.2, 1'000'000), 1.5625 * 0.2);
  EXPECT_DOUBLE_EQ(SkinTuner::longest_nm(0.2, 50'000), 1.5625 * 1.5625 * 0.2);
  EXPECT_GT(SkinTuner::longest_nm(0.2, 100), SkinTuner::longest_nm(0.2, 50'000));
}

}  // namespace
}  // namespace nfold::engine
