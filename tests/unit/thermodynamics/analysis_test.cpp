// Phase-locking matrices, folding order and landscapes of known cases.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "analysis/thermodynamics/folding_order.hpp"
#include "analysis/thermodynamics/landscape.hpp"
#include "analysis/thermodynamics/phase_matrix.hpp"
#include "system/units.hpp"

namespace nfold::thermodynamics {
namespace {

using replicas::ObservedContact;
using replicas::ObservedCounts;
using replicas::ObserverPlan;
constexpr std::size_t bins = ObserverPlan::q_bins;
constexpr double infinite = std::numeric_limits<double>::infinity();

/// Sums of samples of angles [rad], as kernels compute them.
std::vector<std::int64_t> phase_sums(const std::vector<std::vector<double>>& samples) {
  const auto phases = static_cast<std::int64_t>(samples.front().size()) + 1;
  const auto pairs = phases * (phases + 1) / 2;
  std::vector<std::int64_t> sums(static_cast<std::size_t>(4 * pairs));
  for (const auto& angles : samples) {
    std::vector<std::int64_t> c, s;
    for (const double a : angles) {
      c.push_back(std::llrint(65536 * std::cos(a)));
      s.push_back(std::llrint(65536 * std::sin(a)));
    }
    c.push_back(65536);
    s.push_back(0);
    for (std::int64_t i = 0; i < phases; ++i) {
      for (std::int64_t j = i; j < phases; ++j) {
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        const std::int64_t products[4] = {c[a] * c[b], s[a] * s[b], c[a] * s[b], s[a] * c[b]};
        for (int k = 0; k < 4; ++k) {
          sums[static_cast<std::size_t>(k * pairs + replicas::phase_pair_index(i, j, phases))] +=
              products[k];
        }
      }
    }
  }
  return sums;
}

// Independent stiff angles look locked. |C| is near 1, and only the connected part shows it.
TEST(PhaseMatrix, StiffAnglesAreNotCoupled) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal(0, 0.2);
  std::vector<std::vector<double>> samples;
  for (int k = 0; k < 4000; ++k) {
    const double common = normal(random);
    samples.push_back({0.9 + normal(random), -2 + normal(random), 1 + common, 2 + common});
  }
  const auto m = phase_matrix(phase_sums(samples), 4);
  EXPECT_EQ(m.samples, 4000);
  const auto at = [&](int i, int j) {
    const auto p = static_cast<std::size_t>(replicas::phase_pair_index(i, j, 4));
    return std::complex(m.cosine[p], m.sine[p]);
  };
  const auto order = [&](std::size_t i) {
    return std::complex(m.order_cosine[i], m.order_sine[i]);
  };
  const auto rho = [&](int i, int j) {
    const auto a = order(static_cast<std::size_t>(i)), b = order(static_cast<std::size_t>(j));
    return (at(i, j) - a * std::conj(b)) / std::sqrt((1 - std::norm(a)) * (1 - std::norm(b)));
  };
  EXPECT_NEAR(std::abs(at(0, 1)), std::exp(-0.04), 0.01);
  EXPECT_NEAR(std::arg(at(0, 1)), 2.9, 0.02);
  EXPECT_LT(std::abs(rho(0, 1)), 0.06);
  EXPECT_NEAR(std::abs(rho(2, 3)), 1, 1e-3);
  EXPECT_NEAR(std::arg(at(2, 3)), -1, 1e-4);
  EXPECT_NEAR(at(1, 1).real(), 1, 2e-5);
  // D holds counter-rotation, which decays twice as fast for coupled angles.
  const auto p = static_cast<std::size_t>(replicas::phase_pair_index(2, 3, 4));
  EXPECT_NEAR(std::abs(std::complex(m.sum_cosine[p], m.sum_sine[p])), std::exp(-0.08), 0.02);
  EXPECT_NEAR(std::arg(std::complex(m.sum_cosine[p], m.sum_sine[p])), 3, 0.03);
}

TEST(PhaseMatrix, IsNanWithoutSamples) {
  const auto m = phase_matrix(std::vector<std::int64_t>(12), 1);
  EXPECT_EQ(m.samples, 0);
  EXPECT_TRUE(std::isnan(m.cosine.front()));
  EXPECT_THROW((void)phase_matrix(std::vector<std::int64_t>(5), 1), std::invalid_argument);
}

/// Basins at Q = 0.21 and 0.81, a barrier between them, and some bins without a sample.
std::vector<double> two_basins(double kt) {
  std::vector<double> profile;
  for (std::size_t b = 0; b < bins; ++b) {
    const double q = (static_cast<double>(b) + 0.5) / static_cast<double>(bins);
    profile.push_back(kt * (3 + 3 * std::cos(M_PI * (q - 0.21) / 0.3 + M_PI)));
  }
  profile[0] = profile[49] = profile[12] = infinite;
  return profile;
}

TEST(FoldingOrder, WindowsAreBasinsAndBarrier) {
  const double kt = system::k_boltzmann * 120;
  const auto windows = folding_windows(two_basins(kt), 120);
  ASSERT_TRUE(windows.has_value());
  // 3 (1 - cos x) <= 1 up to x = 0.841 of the 0.3 that are pi: 0.08 to each side; >= 5.5 to 0.056.
  EXPECT_EQ(windows->unfolded.first, 6);
  EXPECT_EQ(windows->unfolded.last, 14);
  EXPECT_EQ(windows->transition.first, 23);
  EXPECT_EQ(windows->transition.last, 27);
  EXPECT_EQ(windows->native.first, 36);
  EXPECT_EQ(windows->native.last, 44);
  EXPECT_FALSE(folding_windows(std::vector<double>(bins, 0.0), 120).has_value());
}

TEST(FoldingOrder, PhiIsFractionFormedAtBarrier) {
  const double kelvin = 120;
  FoldingThermodynamics found;
  found.folding_state.temperature_kelvin = kelvin;
  found.at_folding_kj_mol = two_basins(system::k_boltzmann * kelvin);
  // Contact 0 forms before the barrier, contact 1 after it, contact 2 is always formed. The third
  // state is too far from the folding temperature to count.
  const std::vector<ObservedContact> contacts{{0, 4}, {1, 5}, {2, 6}};
  const std::vector<system::ThermodynamicState> states{{119}, {121}, {140}};
  ObservedCounts counts;
  counts.samples.assign(3 * bins, 100);
  counts.contacts.assign(3 * bins * 3, 0);
  for (std::size_t state = 0; state < 2; ++state) {
    for (std::size_t b = 0; b < bins; ++b) {
      auto* const formed = &counts.contacts[(state * bins + b) * 3];
      formed[0] = b < 20 ? 10 : 90;
      formed[1] = b < 30 ? 0 : 80;
      formed[2] = 100;
    }
  }
  const auto order = folding_order(found, states, counts, contacts, 8);
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->states, (std::vector<int>{0, 1}));
  EXPECT_NEAR(order->fraction[0][0], 0.1, 1e-12);
  EXPECT_NEAR(order->fraction[1][4], 0.9, 1e-12);
  EXPECT_NEAR(order->phi[0], 1, 1e-12);
  EXPECT_NEAR(order->phi[5], 0, 1e-12);
  EXPECT_TRUE(std::isnan(order->phi[2]));          // no change between the basins
  EXPECT_TRUE(std::isnan(order->fraction[0][7]));  // no contact
}

/// Samples of a harmonic well at two temperatures.
FoldingSamples well() {
  FoldingSamples samples;
  samples.states = {{100}, {130}};
  samples.replicas = 2;
  samples.contacts = 100;
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (int k = 0; k < 60'000; ++k) {
    for (int state = 0; state < 2; ++state) {
      const double kt = system::k_boltzmann * (state == 0 ? 100 : 130);
      double energy = 0;
      for (int axis = 0; axis < 4; ++axis) energy += 0.5 * kt * std::pow(normal(random), 2);
      samples.potential_kj_mol.push_back(energy);
      samples.formed_contacts.push_back(energy < 1.5 ? 80 : 20);
      samples.state.push_back(state);
    }
  }
  return samples;
}

TEST(Landscape, EnergyIsReweightedOverTemperatures) {
  const auto samples = well();
  // Z of four harmonic coordinates goes with T^2.
  const auto surface = energy_surface(samples, {0, -2 * std::log(1.3)}, {115});
  const double kt = system::k_boltzmann * 115;
  const std::size_t columns = surface.other.size();
  double mean = 0, weights = 0, native = 0;
  for (std::size_t row = 0; row < bins; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      const double w = std::exp(-surface.kj_mol[row * columns + column] / kt);
      mean += w * surface.other[column];
      weights += w;
      if (surface.native_fraction[row] > 0.5) native += w;
    }
  }
  EXPECT_NEAR(mean / weights, 2 * kt, 0.03);
  const double x = 1.5 / kt;
  EXPECT_NEAR(native / weights, 1 - std::exp(-x) * (1 + x), 0.01);
}

TEST(Landscape, EnergyIsReweightedOverStrengths) {
  // Harmonic well of four coordinates, all of it contact energy, at strengths 1 and 0.7 and 100 K.
  // Its weights equal those at 100 and 100/0.7 K.
  FoldingSamples samples;
  samples.states = {{100, 1}, {100, 0.7}};
  samples.replicas = 2;
  samples.contacts = 100;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const double kt = system::k_boltzmann * 100;
  for (int n = 0; n < 60'000; ++n) {
    for (const int state : {0, 1}) {
      const double strength = samples.states[static_cast<std::size_t>(state)].contact_strength;
      double contacts = 0;
      for (int axis = 0; axis < 4; ++axis) {
        contacts += 0.5 * kt / strength * std::pow(normal(random), 2);
      }
      samples.contact_kj_mol.push_back(contacts);
      samples.potential_kj_mol.push_back(strength * contacts);
      samples.formed_contacts.push_back(10);
      samples.state.push_back(state);
    }
  }
  const auto surface = energy_surface(samples, {0, 2 * std::log(0.7)}, {100, 0.85});
  double mean = 0, weights = 0;
  for (std::size_t k = 0; k < surface.kj_mol.size(); ++k) {
    const double w = std::exp(-surface.kj_mol[k] / kt);
    mean += w * surface.other[k % surface.other.size()];
    weights += w;
  }
  EXPECT_NEAR(mean / weights, 2 * kt, 0.03);  // energy at strength 0.85
}

TEST(Landscape, CountsGiveTheirLogarithm) {
  const std::vector<std::int64_t> counts{0, 20, 10, 40};
  const auto surface = counted_surface(counts, 2, 5, 100);
  const double kt = system::k_boltzmann * 100;
  EXPECT_EQ(surface.kj_mol[0], infinite);
  EXPECT_NEAR(surface.kj_mol[1], kt * std::log(2), 1e-12);
  EXPECT_NEAR(surface.kj_mol[2], kt * std::log(4), 1e-12);
  EXPECT_EQ(surface.kj_mol[3], 0);
  EXPECT_EQ(surface.other, (std::vector<double>{1.25, 3.75}));
}

}  // namespace
}  // namespace nfold::thermodynamics
