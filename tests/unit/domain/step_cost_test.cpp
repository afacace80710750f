// Step time estimate from the slowest rank, ghosts, messages and repeated terms.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/step_cost.hpp"

#include <gtest/gtest.h>

namespace nfold::domain {
namespace {

constexpr StepCost cost{1e-9, 4, 3e-6, 1e-6, 5e-6};

TEST(StepCost, IsThatOfSlowestRank) {
  const std::vector<RankStepWork> ranks{{1000, 100, 1}, {2000, 0, 2}, {500, 10, 0}};
  // The second rank is slowest: 2000 pairs, two messages.
  EXPECT_DOUBLE_EQ(step_time_estimate(cost, ranks), 5e-6 + 2e-6 + 4e-6);
  // At twice the mean of (0.5, 2, 0.5) it is no longer the slowest.
  const std::vector<double> speed{0.5, 2, 0.5};
  EXPECT_DOUBLE_EQ(step_time_estimate(cost, ranks, speed), 5e-6 + 2 * 1.4e-6 + 3e-6);
}

TEST(StepCost, OneRankCostsItsWork) {
  const RankStepWork alone{3000, 0, 0};
  EXPECT_DOUBLE_EQ(step_time_estimate(cost, std::span(&alone, 1)), 5e-6 + 3e-6);
}

TEST(StepCost, HasCoefficientsPerBackendAndModel) {
  topology::Topology go, condensate;
  go.short_range.form = topology::ShortRangeForm::repulsion_12;
  condensate.short_range.form = topology::ShortRangeForm::ashbaugh_hatch;
  EXPECT_GT(step_cost(go, false).seconds_per_work, 100 * step_cost(go, true).seconds_per_work);
  EXPECT_GT(step_cost(condensate, false).seconds_per_work, step_cost(go, false).seconds_per_work);
  EXPECT_EQ(step_cost(go, false).launch_seconds, 0);
  EXPECT_GT(step_cost(go, true).launch_seconds, 0);
}

TEST(StepCost, CountsTermsOfSeveralRanks) {
  topology::Topology t;
  t.residues.items().resize(5);
  t.bonds.push_back({0, 1, 0.38, 1});
  t.angles.push_back({1, 2, 3, 2, 1});
  t.contacts_12_10.push_back({0, 4, 0.6, 1});
  t.contacts_gaussian.push_back({0, 2, 0.6, 1, 0.05, 0});
  const Ownership owner{0, 0, 0, 1, 2};
  EXPECT_EQ(contacts_cut(t, owner), 1);
  const auto repeated = repeated_work(t, owner, 3);
  EXPECT_EQ(repeated,
            (std::vector<double>{topology::AngleKind::work + topology::Contact1210Kind::work,
                                 2 * topology::AngleKind::work, topology::Contact1210Kind::work}));
  EXPECT_EQ(contacts_cut(t, Ownership(5, 2)), 0);
  EXPECT_EQ(repeated_work(t, Ownership(5, 2), 3), (std::vector<double>{0, 0, 0}));
}

}  // namespace
}  // namespace nfold::domain
