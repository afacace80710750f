// Free energy of a distance from umbrella windows over a known well.
// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/thermodynamics/umbrella_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

namespace nfold::thermodynamics {
namespace {

constexpr double kelvin = 120, well_k = 12, well_nm = 2.0, window_k = 60;

/// Windows from 1 to 3.4 nm over a harmonic well at 2 nm. Samples of each window are Gaussian.
FoldingSamples windows(int ladders, int times, double gap_nm = 0) {
  FoldingSamples samples;
  for (int k = 0; k < 9; ++k) {
    samples.states.push_back({kelvin, 1, 1 + 0.3 * k + (k > 4 ? gap_nm : 0), window_k});
  }
  samples.replicas = std::int64_t{9} * ladders;
  samples.contacts = 100;
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (int n = 0; n < times * ladders; ++n) {
    for (int k = 0; k < 9; ++k) {
      const auto& state = samples.states[static_cast<std::size_t>(k)];
      const double stiffness = well_k + window_k;
      const double middle = (well_k * well_nm + window_k * state.umbrella_centre_nm) / stiffness;
      const double d = middle + normal(random) / std::sqrt(inverse_temperature(state) * stiffness);
      const double well = 0.5 * well_k * std::pow(d - well_nm, 2);
      const EnergyParts parts{well, 0, d};
      samples.variable_nm.push_back(d);
      samples.potential_kj_mol.push_back(StatePotential(state)(parts));
      samples.formed_contacts.push_back(d < 2 ? 90 : 10);
      samples.state.push_back(k);
    }
  }
  return samples;
}

TEST(UmbrellaProfile, RecoversTheWell) {
  const auto found = umbrella_profile(windows(4, 1500), 1);
  ASSERT_EQ(found.variable_nm.size(), 60U);
  double lowest = 1e9;
  for (const double d : found.variable_nm) {
    lowest = std::min(lowest, 0.5 * well_k * std::pow(d - well_nm, 2));
  }
  int compared = 0;
  for (std::size_t k = 0; k < 60; ++k) {
    const double d = found.variable_nm[k];
    if (d < 0.9 || d > 3.3) continue;
    const double expected = 0.5 * well_k * std::pow(d - well_nm, 2) - lowest;
    EXPECT_GT(found.error_kj_mol[k], 0) << d;
    EXPECT_LT(found.error_kj_mol[k], 0.2) << d;
    EXPECT_NEAR(found.free_energy_kj_mol[k], expected, 5 * found.error_kj_mol[k] + 0.05) << d;
    EXPECT_NEAR(found.native_fraction[k], d < 2 ? 0.9 : 0.1, std::abs(d - 2) < 0.06 ? 0.9 : 1e-9);
    ++compared;
  }
  EXPECT_GT(compared, 40);
  // Gaussian integrals: Z_k of the well times a window.
  const auto f = [](double centre) {
    const double beta = inverse_temperature({kelvin});
    return 0.5 * beta * well_k * window_k / (well_k + window_k) * std::pow(centre - well_nm, 2);
  };
  EXPECT_NEAR(found.reduced_free_energy.back(), f(3.4) - f(1), 0.1);
  EXPECT_NEAR(found.reduced_free_energy[4], f(2.2) - f(1), 0.1);
}

/// Windows up to 2.2 nm and from 4.5 nm on share no sample: each piece is the well up to a constant
/// of its own, with its minimum at 0.
TEST(UmbrellaProfile, HasNoFreeEnergyAcrossAGap) {
  const auto found = umbrella_profile(windows(4, 500, 2), 1);
  ASSERT_EQ(found.pieces.size(), 2U);
  EXPECT_EQ(found.pieces[0].last, 4U);
  EXPECT_EQ(found.pieces[1].first, 5U);
  EXPECT_LT(found.overlap[4], 1e-6);
  for (const std::size_t k : {0U, 3U, 5U, 7U}) EXPECT_GT(found.overlap[k], 0.05) << k;
  EXPECT_EQ(found.reduced_free_energy[5], 0);
  for (const int piece : {0, 1}) {
    double lowest = 1e9;
    std::vector<double> above_the_well;
    for (std::size_t k = 0; k < 60; ++k) {
      if (found.piece[k] != piece) continue;
      lowest = std::min(lowest, found.free_energy_kj_mol[k]);
      if (!(found.error_kj_mol[k] < 0.15)) continue;
      above_the_well.push_back(found.free_energy_kj_mol[k] -
                               0.5 * well_k * std::pow(found.variable_nm[k] - well_nm, 2));
    }
    EXPECT_EQ(lowest, 0);
    ASSERT_GT(above_the_well.size(), 8U);
    const auto [least, most] = std::minmax_element(above_the_well.begin(), above_the_well.end());
    EXPECT_LT(*most - *least, 1) << piece;
  }
  int unseen = 0;
  for (std::size_t k = 0; k < 60; ++k) {
    if (found.piece[k] >= 0) continue;
    EXPECT_FALSE(std::isfinite(found.free_energy_kj_mol[k]));
    EXPECT_FALSE(std::isfinite(found.error_kj_mol[k]));
    ++unseen;
  }
  EXPECT_GT(unseen, 5);
}

TEST(UmbrellaProfile, RefusesSamplesWithoutDistances) {
  auto samples = windows(1, 3);
  samples.variable_nm.clear();
  EXPECT_THROW((void)umbrella_profile(samples, 1), std::invalid_argument);
  EXPECT_THROW((void)umbrella_profile({}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::thermodynamics
