// Pairs that are expected of chains that gather.
// SPDX-License-Identifier: BSD-3-Clause
#include "setup/step_demand.hpp"

#include <gtest/gtest.h>

namespace nfold::setup {
namespace {

config::Settings coils() {
  config::Settings settings;
  settings.force_field.model = config::ForceFieldModel::hps_kr;
  settings.start.from = config::StartFrom::random;
  settings.dynamics.time_step_ps = 0.01;
  settings.dynamics.steps = 4'000;
  return settings;
}

double pairs_of(const config::Settings& settings, double picoseconds) {
  plan::StepDemand demand;
  demand.pairs = 1'000;
  demand.charge_pairs = 10;
  demand.residues = 50;
  let_chains_gather(demand, settings, picoseconds);
  EXPECT_EQ(demand.residues, 50);
  EXPECT_DOUBLE_EQ(demand.charge_pairs, demand.pairs / 100);
  return demand.pairs;
}

TEST(ChainsThatGather, HaveMorePairsInTheMeanOfARun) {
  const auto settings = coils();
  EXPECT_EQ(pairs_of(settings, 0), 1'000);
  // The mean of 1 + 0.3 t / (t + 32 ps), summed up.
  for (const double end_ps : {1.0, 20.0, 500.0}) {
    constexpr int pieces = 100'000;
    double sum = 0;
    for (int k = 0; k < pieces; ++k) {
      const double t = (k + 0.5) * end_ps / pieces;
      sum += 1 + 0.3 * t / (t + 32);
    }
    EXPECT_NEAR(pairs_of(settings, end_ps), 1'000 * sum / pieces, 1e-4) << end_ps;
  }
  EXPECT_NEAR(pairs_of(settings, 1e9), 1'300, 0.1);
}

TEST(ChainsThatGather, AreCountedOverTheWholeRun) {
  const auto settings = coils();
  plan::StepDemand demand;
  demand.pairs = 1'000;
  let_chains_gather(demand, settings);
  EXPECT_EQ(demand.pairs, pairs_of(settings, 40));
}

TEST(ChainsThatGather, AreCoilsThatAreLaidOut) {
  auto folded = coils();
  folded.start.conformation = config::Conformation::native;
  EXPECT_EQ(pairs_of(folded, 100), 1'000);
  auto go = coils();
  go.force_field.model = config::ForceFieldModel::go;
  EXPECT_EQ(pairs_of(go, 100), 1'000);
  const double at_random = pairs_of(coils(), 100);
  EXPECT_GT(at_random, 1'100);
  for (const auto from : {config::StartFrom::slab, config::StartFrom::droplet}) {
    auto dense = coils();
    dense.start.from = from;
    EXPECT_EQ(pairs_of(dense, 100), at_random);
  }
  for (const auto from : {config::StartFrom::native, config::StartFrom::lattice,
                          config::StartFrom::unfolded, config::StartFrom::checkpoint}) {
    auto other = coils();
    other.start.from = from;
    EXPECT_EQ(pairs_of(other, 100), 1'000);
  }
}

}  // namespace
}  // namespace nfold::setup
