// Means of series with known correlation.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/state_means.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <stdexcept>
#include <vector>

namespace nfold::thermodynamics {
namespace {

constexpr double memory = 0.9;  // correlation of successive samples: 19 samples per independent one

/// Two states that exchange replicas at every time. The state decides the value.
FoldingSamples autoregressive(int ladders, int times, std::mt19937_64& random, double apart = 0) {
  FoldingSamples samples;
  samples.states = {{100}, {110}};
  samples.replicas = std::int64_t{2} * ladders;
  std::normal_distribution<double> normal;
  std::vector<double> at(static_cast<std::size_t>(2 * ladders));
  for (double& x : at) x = normal(random);
  for (int time = 0; time < times; ++time) {
    for (int ladder = 0; ladder < ladders; ++ladder) {
      for (int replica = 0; replica < 2; ++replica) {
        const int state = (replica + time) % 2;
        auto& x = at[2 * static_cast<std::size_t>(ladder) + static_cast<std::size_t>(state)];
        x = memory * x + std::sqrt(1 - memory * memory) * normal(random);
        samples.state.push_back(state);
        samples.formed_contacts.push_back(0);
        samples.potential_kj_mol.push_back(x + 5 * state + (ladder % 2 == 0 ? apart : -apart));
      }
    }
  }
  return samples;
}

TEST(StateMeans, ErrorsMatchTheScatter) {
  std::mt19937_64 random(9);
  for (const int ladders : {1, 4, 32}) {
    constexpr int times = 1500, draws = 60;
    double squares = 0, independent = 0;
    for (int draw = 0; draw < draws; ++draw) {
      const auto samples = autoregressive(ladders, times, random);
      const auto found = state_means(samples, samples.potential_kj_mol);
      ASSERT_EQ(found.size(), 2U);
      for (std::size_t k = 0; k < 2; ++k) {
        const double off = (found[k].mean - 5 * static_cast<double>(k)) / found[k].error;
        squares += off * off / (2 * draws);
        independent += found[k].independent / (2 * draws);
      }
    }
    EXPECT_GT(squares, 0.6) << ladders;
    EXPECT_LT(squares, 1.5) << ladders;
    const double expected = ladders * times * (1 - memory) / (1 + memory);
    EXPECT_GT(independent, 0.7 * expected) << ladders;
    EXPECT_LT(independent, 1.4 * expected) << ladders;
  }
}

/// Uses more replicas than are sorted at once.
TEST(StateMeans, ManyLaddersMatchDirectMeans) {
  constexpr std::size_t ladders = 700, times = 5, replicas = 2 * ladders;
  std::mt19937_64 random(11);
  const auto samples = autoregressive(ladders, times, random, 1);
  const auto found = state_means(samples, samples.potential_kj_mol);
  for (std::size_t k = 0; k < 2; ++k) {
    double mean = 0, squares = 0;
    for (std::size_t ladder = 0; ladder < ladders; ++ladder) {
      double ladder_mean = 0;
      for (std::size_t n = 0; n < times; ++n) {
        const std::size_t replica = (k + n) % 2;  // replica of the state at time n
        ladder_mean += samples.potential_kj_mol[n * replicas + 2 * ladder + replica] / times;
      }
      mean += ladder_mean / ladders;
      squares += ladder_mean * ladder_mean / ladders;
    }
    EXPECT_NEAR(found[k].mean, mean, 1e-12);
    EXPECT_NEAR(found[k].error, std::sqrt((squares - mean * mean) / (ladders - 1)), 1e-10);
  }
}

TEST(StateMeans, DisagreeingLaddersWidenTheError) {
  std::mt19937_64 random(10);
  const auto samples = autoregressive(4, 2000, random, 3);  // two at +3, two at -3
  const auto found = state_means(samples, samples.potential_kj_mol);
  EXPECT_NEAR(found[0].error, std::sqrt(36.0 / 3 / 4), 0.2);
  EXPECT_LT(found[0].independent, 5);
}

TEST(StateMeans, ConstantsAndSingleSamplesAreHandled) {
  FoldingSamples samples;
  samples.states = {{100}};
  samples.replicas = 1;
  samples.state = {0};
  const std::vector<double> one{7};
  samples.potential_kj_mol = one;
  const auto alone = state_means(samples, one);
  EXPECT_EQ(alone[0].mean, 7);
  EXPECT_TRUE(std::isnan(alone[0].error));
  samples.state.assign(10, 0);
  const auto constant = state_means(samples, std::vector<double>(10, 7));
  EXPECT_EQ(constant[0].error, 0);
  EXPECT_EQ(constant[0].independent, 10);
  EXPECT_THROW((void)state_means(samples, one), std::invalid_argument);
  EXPECT_THROW((void)state_means({}, {}), std::invalid_argument);
  samples.states = {{100}, {110}};
  samples.replicas = 2;
  EXPECT_THROW((void)state_means(samples, std::vector<double>(10, 7)), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::thermodynamics
