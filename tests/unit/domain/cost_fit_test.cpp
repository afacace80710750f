// Costs of kinds of work, fitted to busy times of synthetic ranks.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/cost_fit.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace nfold::domain {
namespace {

constexpr double seconds_per_unit = 2.5e-9;

/// Ranks with different and changing amounts of dense phase, charges, terms and ghosts.
class SyntheticRanks {
 public:
  explicit SyntheticRanks(const WorkCosts& truth) : truth_(truth) {}

  /// slowness: (ranks). spread: relative spread of each count around its mean.
  std::vector<CostSample> samples(const std::vector<double>& slowness, int assessments,
                                  double spread, double noise) {
    std::uniform_real_distribution<double> around(1 - spread, 1 + spread);
    std::normal_distribution<double> measured(1, noise);
    std::vector<CostSample> all;
    for (int k = 0; k < assessments; ++k) {
      for (std::size_t rank = 0; rank < slowness.size(); ++rank) {
        CostSample one{static_cast<int>(rank),   0,
                       60'000 * around(random_), 20'000 * around(random_),
                       1'000 * around(random_),  8'000 * around(random_),
                       2'000 * around(random_)};
        one.busy_seconds = slowness[rank] * seconds_per_unit * measured(random_) *
                           (truth_.pair * one.pairs + truth_.charged_pair * one.charged_pairs +
                            truth_.residue * one.residues + truth_.term * one.term_work +
                            truth_.ghost * one.ghosts);
        all.push_back(one);
      }
    }
    return all;
  }

 private:
  WorkCosts truth_;
  std::mt19937 random_{3};
};

/// Compares ratios; the unit of the costs is free.
void expect_near(const FittedCosts& fitted, const WorkCosts& truth, double tolerance) {
  const double unit = fitted.seconds_per_unit / seconds_per_unit;
  EXPECT_NEAR(unit * fitted.costs.pair, truth.pair, tolerance * truth.pair);
  EXPECT_NEAR(unit * fitted.costs.charged_pair, truth.charged_pair, tolerance * truth.charged_pair);
  EXPECT_NEAR(unit * fitted.costs.residue, truth.residue, tolerance * truth.residue);
  EXPECT_NEAR(unit * fitted.costs.term, truth.term, tolerance * truth.term);
  EXPECT_NEAR(unit * fitted.costs.ghost, truth.ghost, tolerance * truth.ghost);
}

TEST(FitCosts, RecoversCosts) {
  const WorkCosts truth{0.8, 1.6, 30, 2, 9};
  const auto samples = SyntheticRanks(truth).samples({1, 1, 1, 1}, 16, 0.4, 0);
  const auto fitted = fit_costs(samples, 4, {});
  ASSERT_TRUE(fitted);
  expect_near(*fitted, truth, 0.1);
}

TEST(FitCosts, RecoversCostsFromNoisyUnequalRanks) {
  const WorkCosts truth{1, 1.8, 20, 1, 8};
  const auto samples = SyntheticRanks(truth).samples({1, 1, 3, 1, 1.5, 1, 1, 1}, 16, 0.5, 0.02);
  const auto fitted = fit_costs(samples, 8, {});
  ASSERT_TRUE(fitted);
  const auto& c = fitted->costs;
  EXPECT_NEAR(c.charged_pair / c.pair, 1.8, 0.25);
  EXPECT_NEAR(c.ghost / c.pair, 8, 1.6);
}

/// All ranks are alike: no sample separates pairs from residues.
TEST(FitCosts, KeepsPriorOfUndeterminedCosts) {
  const auto samples = SyntheticRanks({2, 2, 40, 2, 8}).samples({1, 1, 1, 1}, 16, 0, 0.02);
  const auto fitted = fit_costs(samples, 4, {});
  ASSERT_TRUE(fitted);
  expect_near(*fitted, {2, 2, 40, 2, 8}, 0.03);
  const WorkCosts prior;
  EXPECT_NEAR(fitted->costs.ghost / fitted->costs.pair, prior.ghost, 0.1 * prior.ghost);
  EXPECT_NEAR(fitted->costs.residue / fitted->costs.pair, prior.residue, 0.1 * prior.residue);
}

/// One slow rank among ranks of equal work changes no other cost.
TEST(FitCosts, AttributesSlownessToRank) {
  const auto samples = SyntheticRanks({}).samples({1, 3}, 4, 0.02, 0);
  const auto fitted = fit_costs(samples, 2, {});
  ASSERT_TRUE(fitted);
  const auto& c = fitted->costs;
  EXPECT_NEAR(c.charged_pair / c.pair, 1, 0.1);
  EXPECT_NEAR(c.ghost / c.pair, 4, 0.4);
}

TEST(FitCosts, IsNeverNegative) {
  // More charged pairs take less time: no positive cost fits this.
  std::vector<CostSample> samples;
  samples.reserve(20);
  for (int k = 0; k < 20; ++k) {
    samples.push_back({k % 2, 1e-3 * (30 - k), 1000, 1000.0 + 400 * k, 100, 100, 50});
  }
  const auto fitted = fit_costs(samples, 2, {});
  ASSERT_TRUE(fitted);
  const auto& c = fitted->costs;
  EXPECT_EQ(c.charged_pair, 0);
  for (const double cost : {c.pair, c.residue, c.term, c.ghost}) EXPECT_GE(cost, 0);
}

TEST(FitCosts, IsReproducible) {
  const auto samples = SyntheticRanks({1, 2, 30, 1, 8}).samples({1, 2, 1}, 8, 0.3, 0.05);
  const auto a = fit_costs(samples, 3, {}), b = fit_costs(samples, 3, {});
  EXPECT_EQ(a->costs.ghost, b->costs.ghost);
  EXPECT_EQ(a->costs.pair, b->costs.pair);
}

TEST(FitCosts, NeedsCountedWorkAndBusyTime) {
  EXPECT_FALSE(fit_costs({}, 2, {}));
  const std::vector<CostSample> idle{{0, 0, 1000, 10, 10, 10, 1}};
  EXPECT_FALSE(fit_costs(idle, 1, {}));
  const std::vector<CostSample> uncounted{{0, 1, 0, 0, 0, 0, 0}};
  EXPECT_FALSE(fit_costs(uncounted, 1, {}));
}

}  // namespace
}  // namespace nfold::domain
