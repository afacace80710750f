// Statistics of a chain: ideal and stretched chains, blocks of time, errors, equilibration.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/chain_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "chains.hpp"

namespace nfold::analysis {
namespace {

using analysis_tests::chains_of;
using analysis_tests::Random;

constexpr int replicas = 16;

/// Freely jointed chain with bonds of unit length.
std::vector<Point> ideal_chain(int residues, Random& random) {
  std::vector<Point> x(static_cast<std::size_t>(residues));
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double z = random.uniform(-1, 1), angle = random.uniform(0, 2 * std::numbers::pi);
    const double side = std::sqrt(1 - z * z);
    const Point bond{side * std::cos(angle), side * std::sin(angle), z};
    for (std::size_t k = 0; k < 3; ++k) x[i][k] = x[i - 1][k] + bond[k];
  }
  return x;
}

TEST(ChainStatistics, IdealChainHasKnownSizeAndShape) {
  constexpr int residues = 60, times = 1000;
  const auto topology = chains_of({{1, residues}});
  ChainStatistics statistics(topology);
  Random random(7);
  for (int t = 0; t < times; ++t) {
    for (int r = 0; r < replicas; ++r) statistics.add(r, ideal_chain(residues, random));
    statistics.end_time();
  }
  const auto found = statistics.averages(0);
  for (std::size_t s = 1; s < residues; ++s) {
    EXPECT_NEAR(found.distance_nm[s - 1], std::sqrt(static_cast<double>(s)),
                5 * found.distance_error_nm[s - 1] + 1e-6);
  }
  const auto expect = [](const SampledEstimate& estimate, double value, double tolerance) {
    EXPECT_NEAR(estimate.value, value, tolerance + 4 * estimate.error);
    EXPECT_GT(estimate.error, 0);
    EXPECT_LT(estimate.error, 0.01 * value);
  };
  expect(found.scaling_exponent, 0.5, 0);
  // 10/19 (Aronovitz and Nelson) and 0.394 (Jagodzinski 1992) of infinite chains.
  expect(found.asphericity, 10.0 / 19, 0.02);
  expect(found.shape_anisotropy, 0.394, 0.02);
  // (8 / (3 pi) * 59)^(1/2) of a Gaussian chain.
  expect(found.end_to_end_nm, std::sqrt(8 / (3 * std::numbers::pi) * (residues - 1)), 0.02);
  // All conformations are independent, so all samples are.
  EXPECT_NEAR(found.end_to_end_nm.independent, times * replicas, 0.9 * times * replicas);
  double inverse = 0;
  for (int s = 1; s < residues; ++s) {
    // Exact for up to three bonds, by Newton's theorem; Gaussian distances beyond.
    const double one = s < 3 ? 1 : s == 3 ? 0.75 : std::sqrt(6 / (std::numbers::pi * s));
    inverse += (residues - s) * one;
  }
  inverse *= 2.0 / residues / residues;
  EXPECT_NEAR(found.hydrodynamic_radius_nm.value, 1 / inverse, 0.02 / inverse);
}

TEST(ChainStatistics, RodIsRod) {
  constexpr int residues = 30;
  const auto topology = chains_of({{1, residues}});
  ChainStatistics statistics(topology);
  std::vector<Point> x(residues);
  for (int i = 0; i < residues; ++i) x[static_cast<std::size_t>(i)] = {1e3 + 0.5 * i, 0, 0};
  for (int r = 0; r < replicas; ++r) statistics.add(r, x);
  statistics.end_time();
  const auto found = statistics.averages(0);
  EXPECT_NEAR(found.asphericity.value, 1, 1e-6);
  EXPECT_NEAR(found.shape_anisotropy.value, 1, 1e-6);
  EXPECT_NEAR(found.scaling_exponent.value, 1, 1e-5);
  EXPECT_NEAR(found.scaling_length_nm, 0.5, 1e-5);
  EXPECT_NEAR(found.end_to_end_nm.value, 0.5 * (residues - 1), 1e-6);
}

TEST(ChainStatistics, SumsOfRanksAreThoseOfOne) {
  constexpr int residues = 10, times = 41;
  const auto topology = chains_of({{1, residues}});
  ChainStatistics whole(topology), low(topology), high(topology);
  Random random(3);
  for (int t = 0; t < times; ++t) {
    for (int r = 0; r < 20; ++r) {
      const auto x = ideal_chain(residues, random);
      whole.add(r, x);
      (r < 7 ? low : high).add(r, x);
    }
    for (auto* one : {&whole, &low, &high}) one->end_time();
  }
  auto sums = low.sums();
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += high.sums()[k];
  EXPECT_EQ(sums, whole.sums());
}

TEST(ChainStatistics, LeavesOutEarlyBlocks) {
  const auto topology = chains_of({{1, 2}});
  ChainStatistics statistics(topology);
  constexpr int times = 100;  // 12 blocks of 8 and a part of one
  EXPECT_EQ(ChainStatistics::block_length(times), 8);
  EXPECT_EQ(ChainStatistics::block_length(15), 1);
  EXPECT_EQ(ChainStatistics::block_length(16), 2);
  for (int t = 0; t < times; ++t) {
    for (int r = 0; r < replicas; ++r) {
      statistics.add(r, std::vector<Point>{{0, 0, 0}, {t < 24 ? 5.0 : 1.0, 0, 0}});
    }
    statistics.end_time();
  }
  EXPECT_NEAR(statistics.averages(24).end_to_end_nm.value, 1, 1e-6);
  EXPECT_NEAR(statistics.averages(16).end_to_end_nm.value, (8 * 5 + 76) / 84.0, 1e-6);
  EXPECT_NEAR(statistics.averages(0).end_to_end_nm.value, (24 * 5 + 76) / 100.0, 1e-6);
}

/// (times, replicas) first-order autoregressive series with this memory, from `start`.
std::vector<double> series(std::size_t times, double memory, double start, Random& random) {
  std::vector<double> values(replicas, start), all;
  for (std::size_t t = 0; t < times; ++t) {
    for (double& x : values) {
      x = memory * x + std::sqrt(1 - memory * memory) * random.nearly_normal();
    }
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST(ReplicaMean, ErrorIsThatOfCorrelatedSeries) {
  Random random(11);
  constexpr double memory = 0.8;  // 1 + 2 tau = (1 + memory) / (1 - memory) = 9
  constexpr std::size_t times = 400, trials = 100;
  double squares = 0, errors = 0, inefficiency = 0;
  for (std::size_t k = 0; k < trials; ++k) {
    auto values = series(times + 50, memory, 0, random);
    values.erase(values.begin(), values.begin() + 50 * replicas);
    const auto found = replica_mean(values, replicas);
    squares += found.estimate.value * found.estimate.value / trials;
    errors += found.estimate.error / trials;
    inefficiency += found.inefficiency / trials;
  }
  EXPECT_NEAR(inefficiency, 9, 1);
  EXPECT_NEAR(std::sqrt(squares), std::sqrt(9.0 / (times * replicas)), 0.01);
  EXPECT_GT(errors, 0.95 * std::sqrt(9.0 / (times * replicas)));
  EXPECT_LT(errors, 1.3 * std::sqrt(9.0 / (times * replicas)));
}

TEST(EquilibrationTimes, LeavesOutDrift) {
  Random random(5);
  const auto drifting = series(256, 0.9, 30, random);
  const auto first = equilibration_times(drifting, replicas, 16);
  EXPECT_GE(first, 32U);
  EXPECT_LE(first, 96U);
  const auto steady = series(256, 0.5, 0, random);
  EXPECT_LE(equilibration_times(steady, replicas, 16), 16U);
}

}  // namespace
}  // namespace nfold::analysis
