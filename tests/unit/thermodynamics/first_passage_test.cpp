// First-passage times of known survival, rate and intervals.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/first_passage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace nfold::thermodynamics {
namespace {

PassageTimes censor(std::vector<double> times, double interval, double end) {
  PassageTimes found;
  found.interval_ps = interval;
  found.end_ps = end;
  for (double& time : times) {
    if (interval > 0) time = std::ceil(time / interval) * interval;
    found.passed.push_back(time <= end ? 1 : 0);
    found.time_ps.push_back(std::min(time, end));
  }
  return found;
}

std::vector<double> exponential(std::mt19937_64& random, int count, double mean, double lag = 0) {
  std::exponential_distribution<double> draw(1 / mean);
  std::vector<double> times(static_cast<std::size_t>(count));
  for (double& time : times) time = lag + draw(random);
  return times;
}

ExponentialFit fit_and_test(const PassageTimes& times, Lag lag) {
  auto fit = fit_exponential(times, lag);
  test_fit(fit, times, 1);
  return fit;
}

TEST(FirstPassage, IsFirstSampleBeyondThreshold) {
  const std::vector<double> time{0, 2, 4, 6};
  // Replicas 0 and 2 belong to one temperature.
  const std::vector<double> q{0.1, 0.9, 0.2,  0.3,    //
                              0.8, 0.9, 0.3,  0.3,    //
                              0.1, 0.2, 0.79, 0.3,    //
                              0.9, 0.9, 0.7,  0.95};  //
  const auto folding = first_passages({time, q}, 0, 2, Passing::folding, 0.8);
  EXPECT_EQ(folding.time_ps, (std::vector<double>{2, 6}));
  EXPECT_EQ(folding.passed, (std::vector<char>{1, 0}));
  EXPECT_EQ(folding.interval_ps, 2);
  EXPECT_EQ(folding.end_ps, 6);
  EXPECT_EQ(folding.events(), 1);
  const auto unfolding = first_passages({time, q}, 1, 2, Passing::unfolding, 0.3);
  EXPECT_EQ(unfolding.time_ps, (std::vector<double>{4, 0}));
  EXPECT_EQ(unfolding.passed, (std::vector<char>{1, 1}));
  EXPECT_THROW((void)first_passages({{}, {}}, 0, 1, Passing::folding, 0.8), std::invalid_argument);
  EXPECT_THROW((void)first_passages({time, {q.data(), 7}}, 0, 1, Passing::folding, 0.8),
               std::invalid_argument);
}

// Source: remission under 6-mercaptopurine [weeks], Freireich et al., Blood 21, 699 (1963), as in
// textbooks: 21 patients, 9 relapses.
TEST(FirstPassage, SurvivalMatchesTextbook) {
  PassageTimes times;
  times.time_ps = {6, 6, 6,  7,  10, 13, 16, 22, 23,  //
                   6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35};
  times.passed.assign(9, 1);
  times.passed.resize(21, 0);
  times.end_ps = 35;
  const auto curve = kaplan_meier(times);
  EXPECT_EQ(curve.time_ps, (std::vector<double>{6, 7, 10, 13, 16, 22, 23}));
  const double survival[] = {0.8571, 0.8067, 0.7529, 0.6902, 0.6275, 0.5378, 0.4482};
  const double error[] = {0.0764, 0.0869, 0.0963, 0.1068, 0.1141, 0.1282, 0.1346};
  for (std::size_t n = 0; n < 7; ++n) {
    EXPECT_NEAR(curve.survival[n], survival[n], 6e-5);
    EXPECT_NEAR(curve.error[n], error[n], 6e-5);
  }
  EXPECT_EQ(median_ps(curve), 23);
  EXPECT_EQ(survival_at(curve, 5).share, 1);
  EXPECT_EQ(survival_at(curve, 8).share, curve.survival[1]);
  EXPECT_EQ(survival_at(curve, 99).error, curve.error[6]);
  // 9 relapses in 359 weeks at risk.
  const auto fit = fit_exponential(times, Lag::none);
  EXPECT_EQ(fit.events, 9);
  EXPECT_EQ(fit.time_at_risk_ps, 359);
  EXPECT_NEAR(fit.mean_ps, 359.0 / 9, 1e-12);
  EXPECT_NEAR(fit.high_ps, 2 * 359 / 8.2307461948, 1e-6);
  EXPECT_NEAR(fit.low_ps, 2 * 359 / 34.1696069, 1e-5);
}

TEST(FirstPassage, IntervalCoversTheMean) {
  std::mt19937_64 random(3);
  struct Case {
    int replicas;
    double end, interval;
  };
  for (const auto& one : {Case{200, 1e9, 0}, Case{200, 50, 0}, Case{40, 100, 2}, Case{8, 1e9, 0},
                          Case{1000, 200, 20}}) {
    constexpr double mean = 100;
    constexpr int draws = 2000;
    int inside = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const auto times = censor(exponential(random, one.replicas, mean), one.interval, one.end);
      const auto fit = fit_exponential(times, Lag::none);
      inside += fit.low_ps <= mean && mean <= fit.high_ps ? 1 : 0;
    }
    // Coverage is exact without censoring and slightly too high with it.
    EXPECT_GT(inside, 0.95 * draws - 40) << one.replicas << " " << one.end;
    EXPECT_LT(inside, 0.985 * draws) << one.replicas << " " << one.end;
  }
}

TEST(FirstPassage, NoEventsGiveALowerBound) {
  const auto fit = fit_exponential(censor({20, 30, 40}, 0, 10), Lag::none);
  EXPECT_EQ(fit.events, 0);
  EXPECT_TRUE(std::isinf(fit.mean_ps));
  EXPECT_TRUE(std::isinf(fit.high_ps));
  // exp(-30 / low) = 0.025
  EXPECT_NEAR(fit.low_ps, -30 / std::log(0.025), 1e-9);
  EXPECT_TRUE(std::isnan(fit_and_test(censor({20, 30, 40}, 0, 10), Lag::none).probability));
  EXPECT_TRUE(std::isnan(median_ps(kaplan_meier(censor({20, 30, 40}, 0, 10)))));
  EXPECT_THROW((void)fit_exponential({}, Lag::none), std::invalid_argument);
}

TEST(FirstPassage, TestRefusesNonExponentialTimes) {
  std::mt19937_64 random(4);
  int plain_refused = 0, lagged_refused = 0;
  for (int draw = 0; draw < 200; ++draw) {
    const auto times = censor(exponential(random, 100, 100), 5, 150);
    plain_refused += fit_and_test(times, Lag::none).holds() ? 0 : 1;
    const auto late = censor(exponential(random, 100, 100, 60), 5, 300);
    EXPECT_FALSE(fit_and_test(late, Lag::none).holds());
    lagged_refused += fit_and_test(late, Lag::fitted).holds() ? 0 : 1;
  }
  EXPECT_LT(plain_refused, 24);  // 10 expected
  EXPECT_GT(plain_refused, 1);
  EXPECT_LT(lagged_refused, 24);
}

TEST(FirstPassage, FitFindsTheLag) {
  std::mt19937_64 random(5);
  const auto times = censor(exponential(random, 500, 100, 60), 1, 400);
  const auto fit = fit_and_test(times, Lag::fitted);
  EXPECT_NEAR(fit.lag_ps, 60, 1.5);
  EXPECT_LT(fit.low_ps, 100);
  EXPECT_GT(fit.high_ps, 100);
  // Two populations are not exponential, with or without a lag.
  auto mixed = exponential(random, 250, 10);
  const auto slow = exponential(random, 250, 300);
  mixed.insert(mixed.end(), slow.begin(), slow.end());
  EXPECT_FALSE(fit_and_test(censor(mixed, 1, 400), Lag::none).holds());
  EXPECT_FALSE(fit_and_test(censor(mixed, 1, 400), Lag::fitted).holds());
  // Equal seeds give equal draws.
  EXPECT_EQ(fit.probability, fit_and_test(times, Lag::fitted).probability);
}

}  // namespace
}  // namespace nfold::thermodynamics
