// What must hold of a protocol whatever its numbers are tuned to.
// SPDX-License-Identifier: BSD-3-Clause
#include "ensemble/folding_protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

namespace nfold::ensemble {
namespace {

/// As many bonded terms and contacts a residue as ubiquitin has.
SystemSize protein(std::int64_t residues, bool is_resident = true, double epsilon = 1) {
  return {residues, 64 * residues / 10, is_resident, epsilon};
}

auto as_tuple(const StagePlan& plan) {
  return std::tie(plan.temperatures, plan.ladders, plan.lowest_kelvin, plan.highest_kelvin,
                  plan.steps, plan.exchange_every_steps, plan.sample_every_steps,
                  plan.equilibration_steps);
}

/// Of all stages, sizes from a hairpin to a ribosome, and budgets from nothing to a week.
template <class Check>
void for_each_plan(Check check) {
  for (const std::int64_t residues : {1, 12, 76, 99, 100, 499, 2560, 10'000, 1'000'000}) {
    for (const bool is_resident : {true, false}) {
      for (const double seconds : {0.0, 1e-4, 0.01, 1.0, 10.0, 300.0, 7200.0, 6e5}) {
        const FoldingProtocol protocol(protein(residues, is_resident), seconds);
        for (const Stage stage : all_stages) {
          SCOPED_TRACE(std::string(stage_name(stage)) + ", " + std::to_string(residues) +
                       " residues, " + std::to_string(seconds) + " s" +
                       (is_resident ? ", resident" : ""));
          check(stage, protocol.plan_of(stage, 130));
        }
      }
    }
  }
}

/// Replicas times steps of all parts.
double replica_steps(const FoldingProtocol& protocol) {
  double sum = 0;
  for (const auto& part : protocol.work().parts) {
    sum += static_cast<double>(part.replicas) * static_cast<double>(part.steps);
  }
  return sum;
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

TEST(UsefulSteps, AreWhatTwoProteinsNeeded) {
  EXPECT_EQ(useful_steps(1), 20'000);
  EXPECT_NEAR(static_cast<double>(useful_steps(222)), 0.75e6, 1000);
  // Half of two dehydrogenases within 18 and 22 ns.
  EXPECT_NEAR(static_cast<double>(useful_steps(331)), 2.0e6, 0.1e6);
}

TEST(FoldingProtocol, TakesItsBudgetInEachClass) {
  int in_each_class = 0;
  for (const std::int64_t residues : {50,  60,  70,  80,  90,  99,   100,  130,  170,  222, 280,
                                      331, 400, 500, 600, 800, 1000, 1300, 1600, 2000, 2500}) {
    const double budget = budget_gpu_seconds(residues);
    const FoldingProtocol protocol(protein(residues), budget);
    EXPECT_NEAR(protocol.predicted_seconds(), budget, 0.1 * budget) << protocol.in_words();
    ++in_each_class;
  }
  EXPECT_GE(in_each_class, 20);
}

TEST(FoldingProtocol, TakesAnyBudgetAboveTheLeast) {
  for (const std::int64_t residues : {50, 76, 120, 222, 331, 500, 1034, 2000}) {
    const double least = FoldingProtocol(protein(residues), 0).predicted_seconds();
    for (double budget = 1.5 * least; budget < 1e5; budget *= 1.7) {
      const FoldingProtocol protocol(protein(residues), budget);
      EXPECT_NEAR(protocol.predicted_seconds(), budget, 0.1 * budget) << protocol.in_words();
    }
  }
}

TEST(FoldingProtocol, IsTheLeastWhereTheBudgetIsBelowIt) {
  const FoldingProtocol none(protein(76), 0), little(protein(76), 1e-3);
  EXPECT_GT(none.predicted_seconds(), 0);
  for (const Stage stage : all_stages) {
    EXPECT_EQ(none.plan_of(stage, 100).steps, 20'000);
    EXPECT_EQ(as_tuple(none.plan_of(stage, 100)), as_tuple(little.plan_of(stage, 100)));
  }
  EXPECT_THAT(little.in_words(), testing::HasSubstr("the least that it can be"));
  EXPECT_THAT(FoldingProtocol(protein(76), 10).in_words(),
              testing::Not(testing::HasSubstr("the least")));
}

TEST(FoldingProtocol, HasFewerReplicasBeforeItHasUselessSteps) {
  for (const std::int64_t residues : {76, 222, 331}) {
    std::int64_t replicas = 0;
    int temperatures = 0;
    const auto useful = useful_steps(residues);
    bool any_useful = false;
    for (double budget = 1; budget < 1000; budget *= 1.5) {
      const FoldingProtocol protocol(protein(residues), budget);
      const auto ladder = protocol.plan_of(Stage::ladder, 100);
      const auto kinetics = protocol.plan_of(Stage::kinetics, 100);
      EXPECT_GE(kinetics.replicas(), replicas) << protocol.in_words();
      EXPECT_GE(ladder.temperatures, temperatures) << protocol.in_words();
      if (kinetics.replicas() > 16) {
        EXPECT_GE(kinetics.steps, useful) << protocol.in_words();
        any_useful = true;
      }
      if (ladder.ladders > 2) {
        EXPECT_GE(ladder.steps, useful) << protocol.in_words();
      }
      replicas = kinetics.replicas();
      temperatures = ladder.temperatures;
    }
    EXPECT_TRUE(any_useful);
  }
}

TEST(FoldingProtocol, IsAsFullAsAGpuWithItsOwnBudget) {
  // A round of groups over the 132 multiprocessors, of 8, 2 and 1 replicas.
  const auto kinetics_of = [](std::int64_t residues) {
    return FoldingProtocol(protein(residues), budget_gpu_seconds(residues))
        .plan_of(Stage::kinetics, 100)
        .replicas();
  };
  EXPECT_EQ(kinetics_of(76), 1056);
  EXPECT_EQ(kinetics_of(222), 264);
  EXPECT_EQ(kinetics_of(331), 132);
}

TEST(FoldingProtocol, MoreTimeIsMoreWork) {
  for (const std::int64_t residues : {50, 76, 222, 331, 1034, 2000}) {
    double work = 0, seconds = 0;
    for (double budget = 0.1; budget < 1e5; budget *= 1.3) {
      const FoldingProtocol protocol(protein(residues), budget);
      EXPECT_GE(replica_steps(protocol), work) << protocol.in_words();
      EXPECT_GE(protocol.predicted_seconds(), seconds) << protocol.in_words();
      work = replica_steps(protocol);
      seconds = protocol.predicted_seconds();
    }
  }
}

TEST(FoldingProtocol, CountsTheWorkOfItsParts) {
  const FoldingProtocol protocol(protein(222), 300);
  const auto work = protocol.work();
  ASSERT_EQ(work.parts.size(), 3U);
  double sum = 0;
  for (const Stage stage : all_stages) {
    const auto plan = protocol.plan_of(stage, 100);
    const auto& part = work.parts.at(static_cast<std::size_t>(stage));
    EXPECT_EQ(part.replicas, plan.replicas());
    EXPECT_EQ(part.steps, plan.steps);
    EXPECT_EQ(part.samples, plan.steps / plan.sample_every_steps);
    EXPECT_EQ(part.temperatures, plan.temperatures);
    EXPECT_EQ(part.looks, plan.exchange_every_steps > 0 ? plan.steps / plan.exchange_every_steps
                                                        : part.samples);
    sum += protocol.predicted_seconds(stage);
  }
  EXPECT_NEAR(protocol.predicted_seconds(), sum, 1e-9);
}

TEST(FoldingPlan, HasStepsThatFitItsSamples) {
  for_each_plan([](Stage, const StagePlan& plan) {
    EXPECT_GE(plan.steps, 20'000);
    ASSERT_GT(plan.sample_every_steps, 0);
    EXPECT_EQ(plan.steps % plan.sample_every_steps, 0);
    EXPECT_LE(plan.steps / plan.sample_every_steps, 500);
    EXPECT_LT(plan.equilibration_steps, plan.steps);
    EXPECT_GE(plan.equilibration_steps, 0);
    if (plan.exchange_every_steps > 0) {
      EXPECT_EQ(plan.sample_every_steps % plan.exchange_every_steps, 0);
    }
  });
}

TEST(FoldingPlan, HasReplicasAndTemperatures) {
  for_each_plan([](Stage stage, const StagePlan& plan) {
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

TEST(FoldingPlan, TemperaturesGoWithTheirUnit) {
  // The scan knows epsilon alone; the others what the part before found.
  const FoldingProtocol one(protein(76), 10), two(protein(76, true, 2), 10);
  const auto scan = one.plan_of(Stage::scan, 0), double_scan = two.plan_of(Stage::scan, 99);
  EXPECT_NEAR(double_scan.lowest_kelvin, 2 * scan.lowest_kelvin, 1e-9);
  EXPECT_NEAR(double_scan.highest_kelvin, 2 * scan.highest_kelvin, 1e-9);
  for (const Stage stage : {Stage::ladder, Stage::kinetics}) {
    const auto cold = one.plan_of(stage, 100), hot = two.plan_of(stage, 150);
    EXPECT_NEAR(hot.lowest_kelvin, 1.5 * cold.lowest_kelvin, 1e-9);
    EXPECT_NEAR(hot.highest_kelvin, 1.5 * cold.highest_kelvin, 1e-9);
    EXPECT_EQ(hot.steps, cold.steps);
    EXPECT_EQ(hot.ladders, cold.ladders);
  }
}

}  // namespace
}  // namespace nfold::ensemble
