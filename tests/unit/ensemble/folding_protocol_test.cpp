// What must hold of a plan whatever its numbers are tuned to.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/folding_protocol.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

namespace nfold::ensemble {
namespace {

auto as_tuple(const StagePlan& plan) {
  return std::tie(plan.temperatures, plan.ladders, plan.lowest_kelvin, plan.highest_kelvin,
                  plan.steps, plan.exchange_every_steps, plan.sample_every_steps,
                  plan.equilibration_steps);
}

/// Of all stages, sizes from a hairpin to a ribosome, and budgets from nothing to a week.
template <class Check>
void for_each_plan(Check check) {
  for (const Stage stage : all_stages) {
    for (const std::int64_t residues : {1, 12, 76, 99, 100, 499, 2560, 10'000, 1'000'000}) {
      for (const bool is_resident : {true, false}) {
        for (const double seconds : {0.0, 1e-4, 0.01, 1.0, 10.0, 300.0, 7200.0, 6e5}) {
          const SystemSize size{residues, is_resident, 1};
          SCOPED_TRACE(std::string(stage_name(stage)) + ", " + std::to_string(residues) +
                       " residues, " + std::to_string(seconds) + " s" +
                       (is_resident ? ", resident" : ""));
          check(stage, size, seconds, plan_of(stage, size, seconds, 130));
        }
      }
    }
  }
}

TEST(FoldingBudget, GoesByTheSize) {
  // Issue: under 100 residues 10 s of GPU time, 100 to 500 5 minutes, 500 to 2,000 2 hours, above
  // 24 hours.
  EXPECT_EQ(budget_gpu_seconds(1), 10);
  EXPECT_EQ(budget_gpu_seconds(99), 10);
  EXPECT_EQ(budget_gpu_seconds(100), 300);
  EXPECT_EQ(budget_gpu_seconds(500), 300);
  EXPECT_EQ(budget_gpu_seconds(501), 7200);
  EXPECT_EQ(budget_gpu_seconds(2000), 7200);
  EXPECT_EQ(budget_gpu_seconds(2001), 86'400);
}

TEST(FoldingStages, ShareTheWholeBudget) {
  double sum = 0;
  std::set<std::string> names;
  for (const Stage stage : all_stages) {
    EXPECT_GT(stage_share(stage), 0);
    sum += stage_share(stage);
    names.insert(stage_name(stage));
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_EQ(names, (std::set<std::string>{"scan", "ladder", "kinetics"}));
}

TEST(FoldingPlan, HasStepsThatFitItsSamples) {
  for_each_plan([](Stage, const SystemSize&, double, const StagePlan& plan) {
    EXPECT_GE(plan.steps, 20'000);
    ASSERT_GT(plan.sample_every_steps, 0);
    EXPECT_EQ(plan.steps % plan.sample_every_steps, 0);
    EXPECT_LT(plan.equilibration_steps, plan.steps);
    EXPECT_GE(plan.equilibration_steps, 0);
    if (plan.exchange_every_steps > 0) {
      EXPECT_EQ(plan.sample_every_steps % plan.exchange_every_steps, 0);
    }
  });
}

TEST(FoldingPlan, HasReplicasAndTemperatures) {
  for_each_plan([](Stage stage, const SystemSize&, double, const StagePlan& plan) {
    EXPECT_GE(plan.temperatures, 1);
    EXPECT_GE(plan.ladders, 1);
    EXPECT_GT(plan.lowest_kelvin, 0);
    EXPECT_LE(plan.lowest_kelvin, plan.highest_kelvin);
    if (plan.temperatures > 1) {
      EXPECT_LT(plan.lowest_kelvin, plan.highest_kelvin);
    }
    if (stage == Stage::ladder) {
      EXPECT_EQ(plan.ladders % 2, 0) << "half of them begin at each end";
      EXPECT_GT(plan.exchange_every_steps, 0);
    }
    if (stage == Stage::kinetics) {
      EXPECT_EQ(plan.exchange_every_steps, 0) << "who trades temperatures has no folding time";
      EXPECT_EQ(plan.equilibration_steps, 0) << "the clock starts with the first step";
    }
  });
}

TEST(FoldingPlan, StaysWithinTheBudgetUnlessThatIsTooSmall) {
  for_each_plan([](Stage stage, const SystemSize& size, double seconds, const StagePlan& plan) {
    if (plan.steps <= 20'000) return;  // the least there is
    const double residue_steps = static_cast<double>(plan.ladders) * plan.temperatures *
                                 static_cast<double>(plan.steps) *
                                 static_cast<double>(size.residues);
    EXPECT_LE(residue_steps / residue_steps_per_gpu_second(size),
              1.01 * stage_share(stage) * seconds);
  });
}

TEST(FoldingPlan, MoreTimeIsMoreWork) {
  for (const Stage stage : all_stages) {
    double before = 0;
    for (const double seconds : {0.01, 0.1, 1.0, 10.0, 100.0}) {
      const auto plan = plan_of(stage, {76, true, 1}, seconds, 130);
      const double work =
          static_cast<double>(plan.ladders) * plan.temperatures * static_cast<double>(plan.steps);
      EXPECT_GE(work, before);
      before = work;
    }
  }
}

TEST(FoldingPlan, IsAFunctionOfItsArgumentsAlone) {
  for_each_plan([](Stage stage, const SystemSize& size, double seconds, const StagePlan& plan) {
    const auto again = plan_of(stage, size, seconds, 130);
    EXPECT_EQ(as_tuple(plan), as_tuple(again));
  });
}

TEST(FoldingPlan, TemperaturesGoWithTheirUnit) {
  // The scan knows epsilon alone; the others what the part before found.
  const SystemSize one{76, true, 1}, two{76, true, 2};
  const auto scan = plan_of(Stage::scan, one, 10, 0),
             double_scan = plan_of(Stage::scan, two, 10, 99);
  EXPECT_NEAR(double_scan.lowest_kelvin, 2 * scan.lowest_kelvin, 1e-9);
  EXPECT_NEAR(double_scan.highest_kelvin, 2 * scan.highest_kelvin, 1e-9);
  for (const Stage stage : {Stage::ladder, Stage::kinetics}) {
    const auto cold = plan_of(stage, one, 10, 100), hot = plan_of(stage, two, 10, 150);
    EXPECT_NEAR(hot.lowest_kelvin, 1.5 * cold.lowest_kelvin, 1e-9);
    EXPECT_NEAR(hot.highest_kelvin, 1.5 * cold.highest_kelvin, 1e-9);
    EXPECT_EQ(hot.steps, cold.steps);
    EXPECT_EQ(hot.ladders, cold.ladders);
  }
}

}  // namespace
}  // namespace nfold::ensemble
