// Estimated number of pairs of chains that gather.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/setup/step_demand.hpp"

#include <gtest/gtest.h>

#include <array>

namespace nfold::setup {
namespace {

input::Settings coils() {
  input::Settings settings;
  settings.force_field.model = input::find_model("hps-kr");
  settings.start.from = input::StartFrom::random;
  settings.dynamics.time_step_ps = 0.01;
  settings.dynamics.steps = 4'000;
  return settings;
}

double gathered_pairs(const input::Settings& settings, double picoseconds) {
  estimate::StepDemand demand;
  demand.pairs = 1'000;
  demand.charge_pairs = 10;
  demand.residues = 50;
  let_chains_gather(demand, settings, picoseconds);
  EXPECT_EQ(demand.residues, 50);
  EXPECT_DOUBLE_EQ(demand.charge_pairs, demand.pairs / 100);
  return demand.pairs;
}

TEST(GatheringChains, MeanPairsFollowTheIntegral) {
  const auto settings = coils();
  EXPECT_EQ(gathered_pairs(settings, 0), 1'000);
  // Mean of 1 + 0.3 t / (t + 32 ps) by summation.
  for (const double end_ps : {1.0, 20.0, 500.0}) {
    constexpr int pieces = 100'000;
    double sum = 0;
    for (int k = 0; k < pieces; ++k) {
      const double t = (k + 0.5) * end_ps / pieces;
      sum += 1 + 0.3 * t / (t + 32);
    }
    EXPECT_NEAR(gathered_pairs(settings, end_ps), 1'000 * sum / pieces, 1e-4) << end_ps;
  }
  EXPECT_NEAR(gathered_pairs(settings, 1e9), 1'300, 0.1);
}

TEST(GatheringChains, DefaultToTheWholeRun) {
  const auto settings = coils();
  std::array<estimate::StepDemand, 1> ranks;
  ranks[0].pairs = 1'000;
  let_chains_gather(ranks, settings);
  EXPECT_EQ(ranks[0].pairs, gathered_pairs(settings, 40));
}

TEST(GatheringChains, OnlyPlacedCoilsGather) {
  auto folded = coils();
  folded.start.conformation = input::Conformation::native;
  EXPECT_EQ(gathered_pairs(folded, 100), 1'000);
  auto go = coils();
  go.force_field.model = input::ForceFieldModel::go;
  EXPECT_EQ(gathered_pairs(go, 100), 1'000);
  const double at_random = gathered_pairs(coils(), 100);
  EXPECT_GT(at_random, 1'100);
  for (const auto from : {input::StartFrom::slab, input::StartFrom::droplet}) {
    auto dense = coils();
    dense.start.from = from;
    EXPECT_EQ(gathered_pairs(dense, 100), at_random);
  }
  for (const auto from : {input::StartFrom::native, input::StartFrom::lattice,
                          input::StartFrom::unfolded, input::StartFrom::checkpoint}) {
    auto other = coils();
    other.start.from = from;
    EXPECT_EQ(gathered_pairs(other, 100), 1'000);
  }
}

}  // namespace
}  // namespace nfold::setup
