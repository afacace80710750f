// Invariants of the folding protocol, independent of its tuned numbers.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/ensemble/folding_protocol.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

namespace nfold::ensemble {
namespace {

/// Protein with as many bonded terms and contacts per residue as ubiquitin.
SystemSize protein(std::int64_t residues, bool is_resident = true, double epsilon = 1) {
  return {residues, 64 * residues / 10, is_resident, epsilon};
}

auto as_tuple(const StageParameters& parameters) {
  return std::tie(parameters.temperatures, parameters.ladders, parameters.lowest_kelvin,
                  parameters.highest_kelvin, parameters.steps, parameters.exchange_every_steps,
                  parameters.sample_every_steps, parameters.equilibration_steps);
}

/// Checks all stages, sizes from a hairpin to a ribosome, and budgets from zero to a week.
template <class Check>
void for_each_stage(Check check) {
  for (const std::int64_t residues : {1, 12, 76, 99, 100, 499, 2560, 10'000, 1'000'000}) {
    for (const bool is_resident : {true, false}) {
      for (const double seconds : {0.0, 1e-4, 0.01, 1.0, 10.0, 300.0, 7200.0, 6e5}) {
        const FoldingProtocol protocol(protein(residues, is_resident), seconds);
        for (const Stage stage : all_stages) {
          SCOPED_TRACE(std::string(stage_name(stage)) + ", " + std::to_string(residues) +
                       " residues, " + std::to_string(seconds) + " s" +
                       (is_resident ? ", resident" : ""));
          check(stage, protocol.stage_parameters(stage, 130));
        }
      }
    }
  }
}

/// Replicas times steps, summed over all parts.
double replica_steps(const FoldingProtocol& protocol) {
  double sum = 0;
  for (const auto& part : protocol.work().parts) {
    sum += static_cast<double>(part.replicas) * static_cast<double>(part.steps);
  }
  return sum;
}

TEST(FoldingBudget, DependsOnSize) {
  // Specified budgets: 10 s of GPU time below 100 residues, 5 minutes to 500, 2 hours to 2,000,
  // then 24 hours.
  EXPECT_EQ(budget_gpu_seconds(1), 10);
  EXPECT_EQ(budget_gpu_seconds(99), 10);
  EXPECT_EQ(budget_gpu_seconds(100), 300);
  EXPECT_EQ(budget_gpu_seconds(500), 300);
  EXPECT_EQ(budget_gpu_seconds(501), 7200);
  EXPECT_EQ(budget_gpu_seconds(2000), 7200);
  EXPECT_EQ(budget_gpu_seconds(2001), 86'400);
}

TEST(FoldingStages, ShareWholeBudget) {
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

TEST(UsefulSteps, MatchTwoProteins) {
  EXPECT_EQ(useful_steps(1), 20'000);
  EXPECT_NEAR(static_cast<double>(useful_steps(222)), 0.75e6, 1000);
  // Half of the replicas of two dehydrogenases folded within 18 and 22 ns.
  EXPECT_NEAR(static_cast<double>(useful_steps(331)), 2.0e6, 0.1e6);
}

TEST(FoldingProtocol, UsesDefaultBudgetOfEachSize) {
  for (const std::int64_t residues : {50,  60,  70,  80,  90,  99,   100,  130,  170,  222, 280,
                                      331, 400, 500, 600, 800, 1000, 1300, 1600, 2000, 2500}) {
    const double budget = budget_gpu_seconds(residues);
    const FoldingProtocol protocol(protein(residues), budget);
    EXPECT_NEAR(protocol.predicted_seconds(), budget, 0.1 * budget) << protocol.describe();
  }
}

TEST(FoldingProtocol, UsesAnyBudgetAboveMinimum) {
  for (const std::int64_t residues : {50, 76, 120, 222, 331, 500, 1034, 2000}) {
    const double least = FoldingProtocol(protein(residues), 0).predicted_seconds();
    ASSERT_LT(1.5 * least, 1e5);
    for (double budget = 1.5 * least; budget < 1e5; budget *= 1.7) {
      const FoldingProtocol protocol(protein(residues), budget);
      EXPECT_NEAR(protocol.predicted_seconds(), budget, 0.1 * budget) << protocol.describe();
    }
  }
}

TEST(FoldingProtocol, IsMinimalBelowMinimumBudget) {
  const FoldingProtocol none(protein(76), 0), little(protein(76), 1e-3);
  EXPECT_GT(none.predicted_seconds(), 0);
  for (const Stage stage : all_stages) {
    EXPECT_EQ(none.stage_parameters(stage, 100).steps, 20'000);
    EXPECT_EQ(as_tuple(none.stage_parameters(stage, 100)),
              as_tuple(little.stage_parameters(stage, 100)));
  }
  EXPECT_THAT(little.describe(), testing::HasSubstr("the least that it can be"));
  EXPECT_THAT(FoldingProtocol(protein(76), 10).describe(),
              testing::Not(testing::HasSubstr("the least")));
}

TEST(FoldingProtocol, PrefersUsefulStepsToMoreReplicas) {
  for (const std::int64_t residues : {76, 222, 331}) {
    std::int64_t replicas = 0;
    int temperatures = 0;
    const auto useful = useful_steps(residues);
    bool any_useful = false, any_ladders = false;
    for (double budget = 1; budget < 1000; budget *= 1.5) {
      const FoldingProtocol protocol(protein(residues), budget);
      const auto ladder = protocol.stage_parameters(Stage::ladder, 100);
      const auto kinetics = protocol.stage_parameters(Stage::kinetics, 100);
      EXPECT_GE(kinetics.replicas(), replicas) << protocol.describe();
      EXPECT_GE(ladder.temperatures, temperatures) << protocol.describe();
      if (kinetics.replicas() > 16) {
        EXPECT_GE(kinetics.steps, useful) << protocol.describe();
        any_useful = true;
      }
      if (ladder.ladders > 2) {
        EXPECT_GE(ladder.steps, useful) << protocol.describe();
        any_ladders = true;
      }
      replicas = kinetics.replicas();
      temperatures = ladder.temperatures;
    }
    EXPECT_TRUE(any_useful);
    EXPECT_TRUE(any_ladders);
  }
}

TEST(FoldingProtocol, DefaultBudgetFillsGpu) {
  // One group of 8, 2 or 1 replicas on each of 132 multiprocessors.
  const auto kinetics_replicas = [](std::int64_t residues) {
    return FoldingProtocol(protein(residues), budget_gpu_seconds(residues))
        .stage_parameters(Stage::kinetics, 100)
        .replicas();
  };
  EXPECT_EQ(kinetics_replicas(76), 1056);
  EXPECT_EQ(kinetics_replicas(222), 264);
  EXPECT_EQ(kinetics_replicas(331), 132);
}

TEST(FoldingProtocol, WorkGrowsWithBudget) {
  for (const std::int64_t residues : {50, 76, 222, 331, 1034, 2000}) {
    double work = 0, seconds = 0;
    for (double budget = 0.1; budget < 1e5; budget *= 1.3) {
      const FoldingProtocol protocol(protein(residues), budget);
      EXPECT_GE(replica_steps(protocol), work) << protocol.describe();
      EXPECT_GE(protocol.predicted_seconds(), seconds) << protocol.describe();
      work = replica_steps(protocol);
      seconds = protocol.predicted_seconds();
    }
  }
}

TEST(FoldingProtocol, CountsWorkOfItsParts) {
  const FoldingProtocol protocol(protein(222), 300);
  const auto work = protocol.work();
  ASSERT_EQ(work.parts.size(), 3U);
  double sum = 0;
  for (const Stage stage : all_stages) {
    const auto parameters = protocol.stage_parameters(stage, 100);
    const auto& part = work.parts.at(static_cast<std::size_t>(stage));
    EXPECT_EQ(part.replicas, parameters.replicas());
    EXPECT_EQ(part.steps, parameters.steps);
    EXPECT_EQ(part.samples, parameters.steps / parameters.sample_every_steps);
    EXPECT_EQ(part.temperatures, parameters.temperatures);
    EXPECT_EQ(part.energy_gathers, parameters.exchange_every_steps > 0
                                       ? parameters.steps / parameters.exchange_every_steps
                                       : part.samples);
    sum += protocol.predicted_seconds(stage);
  }
  EXPECT_NEAR(protocol.predicted_seconds(), sum, 1e-9);
}

TEST(StageParametersTest, StepsAreMultiplesOfSamples) {
  for_each_stage([](Stage, const StageParameters& parameters) {
    EXPECT_GE(parameters.steps, 20'000);
    ASSERT_GT(parameters.sample_every_steps, 0);
    EXPECT_EQ(parameters.steps % parameters.sample_every_steps, 0);
    EXPECT_LE(parameters.steps / parameters.sample_every_steps, 500);
    EXPECT_LT(parameters.equilibration_steps, parameters.steps);
    EXPECT_GE(parameters.equilibration_steps, 0);
    if (parameters.exchange_every_steps > 0) {
      EXPECT_EQ(parameters.sample_every_steps % parameters.exchange_every_steps, 0);
    }
  });
}

TEST(StageParametersTest, RangesAreValid) {
  for_each_stage([](Stage stage, const StageParameters& parameters) {
    EXPECT_GE(parameters.temperatures, 1);
    EXPECT_GE(parameters.ladders, 1);
    EXPECT_GT(parameters.lowest_kelvin, 0);
    EXPECT_LE(parameters.lowest_kelvin, parameters.highest_kelvin);
    if (parameters.temperatures > 1) {
      EXPECT_LT(parameters.lowest_kelvin, parameters.highest_kelvin);
    }
    if (stage == Stage::ladder) {
      EXPECT_EQ(parameters.ladders % 2, 0) << "half of them begin at each end";
      EXPECT_GT(parameters.exchange_every_steps, 0);
    }
    if (stage == Stage::kinetics) {
      EXPECT_EQ(parameters.exchange_every_steps, 0)
          << "who trades temperatures has no folding time";
      EXPECT_EQ(parameters.equilibration_steps, 0) << "the clock starts with the first step";
    }
  });
}

TEST(StageParametersTest, TemperaturesScaleWithEpsilon) {
  // The scan depends on epsilon only, the other stages on the temperature found by the stage
  // before.
  const FoldingProtocol one(protein(76), 10), two(protein(76, true, 2), 10);
  const auto scan = one.stage_parameters(Stage::scan, 0),
             double_scan = two.stage_parameters(Stage::scan, 99);
  EXPECT_NEAR(double_scan.lowest_kelvin, 2 * scan.lowest_kelvin, 1e-9);
  EXPECT_NEAR(double_scan.highest_kelvin, 2 * scan.highest_kelvin, 1e-9);
  for (const Stage stage : {Stage::ladder, Stage::kinetics}) {
    const auto cold = one.stage_parameters(stage, 100), hot = two.stage_parameters(stage, 150);
    EXPECT_NEAR(hot.lowest_kelvin, 1.5 * cold.lowest_kelvin, 1e-9);
    EXPECT_NEAR(hot.highest_kelvin, 1.5 * cold.highest_kelvin, 1e-9);
    EXPECT_EQ(hot.steps, cold.steps);
    EXPECT_EQ(hot.ladders, cold.ladders);
  }
}

}  // namespace
}  // namespace nfold::ensemble
