// Integrators compared with exact results: energy, reversibility, temperature, oscillators.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "engine/engine.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"
#include "system/units.hpp"

namespace nfold::engine {
namespace {

const auto* const scope = test::start_kokkos();

bool long_form() { return std::getenv("NFOLD_LONG") != nullptr; }

EngineSettings settings_at(double temperature_kelvin, Precision precision) {
  EngineSettings s;
  s.precision = precision;
  s.time_step_ps = 0.01;
  s.temperature_kelvin = temperature_kelvin;
  s.friction_per_ps = 1;
  s.seed = 2;
  return s;
}

constexpr double folded_kelvin = 0.9 / system::k_boltzmann;  // kT = 0.9 epsilon

/// Ubiquitin in equilibrium in its native basin.
system::State thermal_ubiquitin(const topology::Topology& topology) {
  auto engine = test::engine_alone(topology, settings_at(folded_kelvin, Precision::full),
                                   test::shaken_native(topology, 0, 1));
  engine.advance(5000);
  return engine.owned_state();
}

struct Series {
  std::vector<double> time, value;
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double v : value) sum += v;
    return sum / static_cast<double>(value.size());
  }
  [[nodiscard]] double deviation() const {
    double sum = 0;
    const double m = mean();
    for (const double v : value) sum += (v - m) * (v - m);
    return std::sqrt(sum / static_cast<double>(value.size()));
  }
  /// Change over the whole series, by a least-squares line.
  [[nodiscard]] double drift() const {
    const double m = mean();
    const double middle = 0.5 * (time.front() + time.back());
    double cross = 0, square = 0;
    for (std::size_t i = 0; i < time.size(); ++i) {
      cross += (time[i] - middle) * (value[i] - m);
      square += (time[i] - middle) * (time[i] - middle);
    }
    return cross / square * (time.back() - time.front());
  }
};

Series total_energy(Engine& engine, double time_step_ps, int samples, int steps_between) {
  Series series;
  for (int i = 0; i < samples; ++i) {
    engine.advance(steps_between);
    series.time.push_back(static_cast<double>(engine.step()) * time_step_ps);
    series.value.push_back(engine.energies().total());
  }
  return series;
}

TEST(VelocityVerlet, EnergyFluctuationScalesWithStepSquared) {
  const auto topology = test::ubiquitin();
  const auto start = thermal_ubiquitin(topology);
  const double steps_ps[3] = {0.01, 0.005, 0.0025};
  double log_deviation[3];
  for (int k = 0; k < 3; ++k) {
    auto settings = settings_at(folded_kelvin, Precision::full);
    settings.integrator = Integrator::velocity_verlet;
    settings.time_step_ps = steps_ps[k];
    auto engine = test::engine_alone(topology, settings, start);
    // The same 20 ps of the same trajectory, sampled at the same times.
    const auto series = total_energy(engine, steps_ps[k], 1000, 2 << k);
    log_deviation[k] = std::log(series.deviation());
    RecordProperty("deviation_" + std::to_string(k), std::to_string(series.deviation()));
  }
  const double slope = (log_deviation[0] - log_deviation[2]) / std::log(4.0);
  EXPECT_NEAR(slope, 2.0, 0.1);
}

class Drift : public testing::TestWithParam<Precision> {};

TEST_P(Drift, StaysBelowThousandthOfKTPerResidue) {
  const auto topology = test::ubiquitin();
  auto settings = settings_at(folded_kelvin, GetParam());
  settings.integrator = Integrator::velocity_verlet;
  settings.time_step_ps = 0.0025;
  auto engine = test::engine_alone(topology, settings, thermal_ubiquitin(topology));
  const int samples = long_form() ? 10000 : 2000;
  const auto series = total_energy(engine, settings.time_step_ps, samples, 100);
  const double allowed = 0.9 / 1000 * topology.residue_count();
  EXPECT_LT(std::abs(series.drift()), allowed) << "fluctuation " << series.deviation();
  RecordProperty("drift_kj_mol", std::to_string(series.drift()));
}
INSTANTIATE_TEST_SUITE_P(Precisions, Drift, testing::Values(Precision::full, Precision::mixed));

// Forces of biases, which are summed over residues, are minus the gradient of the reported energy.
TEST_P(Drift, IsNoLargerWithBias) {
  auto topology = test::ubiquitin();
  topology::add_bias(topology,
                     {bias::distance_between(0, 75), bias::BiasForm::flat_bottom, 4.5, 20, 0.2});
  auto settings = settings_at(folded_kelvin, GetParam());
  settings.integrator = Integrator::velocity_verlet;
  settings.time_step_ps = 0.0025;
  auto engine = test::engine_alone(topology, settings, thermal_ubiquitin(topology));
  const auto before = engine.energies();
  const auto series = total_energy(engine, settings.time_step_ps, 1000, 50);
  const double allowed = 0.9 / 1000 * topology.residue_count();
  EXPECT_LT(std::abs(series.drift()), allowed) << "fluctuation " << series.deviation();
  EXPECT_NEAR(series.mean(), before.total(), 1);
  EXPECT_GT(before.restraint, 0);
  EXPECT_NE(engine.energies().restraint, before.restraint);
}

TEST(VelocityVerlet, IsTimeReversible) {
  const auto topology = test::ubiquitin();
  const auto start = thermal_ubiquitin(topology);
  auto settings = settings_at(folded_kelvin, Precision::full);
  settings.integrator = Integrator::velocity_verlet;
  auto forward = test::engine_alone(topology, settings, start);
  forward.advance(200);
  auto turned = forward.owned_state();
  for (auto& v : turned.velocity) v = {-v[0], -v[1], -v[2]};
  auto backward = test::engine_alone(topology, settings, turned);
  backward.advance(200);
  const auto end = backward.owned_state();
  for (std::size_t i = 0; i < end.position.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      // Chaos amplifies the rounding error. After 200 steps, seven digits remain.
      EXPECT_NEAR(system::Box{}.to_nm(0, end.position[i][axis]),
                  system::Box{}.to_nm(0, start.position[i][axis]), 1e-7);
      EXPECT_NEAR(end.velocity[i][axis], -start.velocity[i][axis], 1e-5);
    }
  }
}

class Langevin : public testing::TestWithParam<Precision> {};

TEST_P(Langevin, KeepsTemperature) {
  const auto topology = test::ubiquitin();
  auto engine = test::engine_alone(topology, settings_at(folded_kelvin, GetParam()),
                                   thermal_ubiquitin(topology));
  Series temperature;
  for (int i = 0; i < 2000; ++i) {
    engine.advance(100);
    temperature.value.push_back(engine.energies().temperature_kelvin);
  }
  // 228 degrees of freedom, samples one decay time apart: the mean is known to 0.2 %.
  EXPECT_NEAR(temperature.mean() / folded_kelvin, 1.0, 0.01);
  // In the canonical ensemble, the relative variance of the kinetic energy is 2 / (degrees of
  // freedom).
  const double relative = temperature.deviation() / temperature.mean();
  EXPECT_NEAR(relative * relative * 228 / 2, 1.0, 0.15);
}
INSTANTIATE_TEST_SUITE_P(Precisions, Langevin, testing::Values(Precision::full, Precision::mixed));

/// Dimers far apart from each other. Each is a three-dimensional oscillator along its bond.
topology::Topology dimers(int count, double k, double mass_amu) {
  topology::Topology t;
  for (int d = 0; d < count; ++d) {
    t.chains.push_back({"A", 2 * d, 2});
    const int layer = d / 100, row = d / 10 % 10;
    const double x = 3.0 * (d % 10), y = 3.0 * row, z = 3.0 * layer;
    for (int end = 0; end < 2; ++end) {
      t.residues.push_back({"GLY", end + 1, ' ', d, d, mass_amu, 0});
      t.native_nm.push_back({x + 0.5 * end, y, z});
    }
    t.bonds.push_back({2 * d, 2 * d + 1, 0.5, k});
    t.exclusions.emplace_back(2 * d, 2 * d + 1);
  }
  t.short_range.cutoff_nm = 0.45;
  return t;
}

// BAOAB has <x^2> = kT/k at any step and <v^2> = kT/m (1 - w^2 h^2/4) (Leimkuhler, Matthews 2013).
TEST_P(Langevin, OscillatorHasExactBaoabVariances) {
  constexpr double k = 20000, h = 0.01, wh = 1.0, kt = 0.9;
  constexpr double mass = 2 * k * h * h / (wh * wh);  // w^2 = 2k/m of the relative coordinate
  const auto topology = dimers(500, k, mass);
  auto settings = settings_at(kt / system::k_boltzmann, GetParam());
  settings.friction_per_ps = 5;
  auto engine = test::engine_alone(topology, settings, test::shaken_native(topology, 0, 1));
  engine.advance(200);
  double stretch2 = 0, speed2 = 0, stretch_speed = 0;
  std::int64_t samples = 0;
  for (int frame = 0; frame < 200; ++frame) {
    engine.advance(20);
    const auto state = engine.owned_state();
    const auto x = test::positions_of({}, state);
    for (std::size_t d = 0; d < 500; ++d) {
      double r2 = 0, rv = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double dx = x[2 * d + 1][axis] - x[2 * d][axis];
        r2 += dx * dx;
        rv += dx * (state.velocity[2 * d + 1][axis] - state.velocity[2 * d][axis]);
      }
      const double r = std::sqrt(r2), v = rv / r;
      stretch2 += (r - 0.5) * (r - 0.5);
      speed2 += v * v;
      stretch_speed += (r - 0.5) * v;
      ++samples;
    }
  }
  const auto n = static_cast<double>(samples);
  // 100,000 samples: one standard error is 0.45 %. Another splitting would give 1/(1 - 1/4).
  EXPECT_NEAR(stretch2 / n * k / kt, 1.0, 0.02);
  EXPECT_NEAR(speed2 / n * (mass / 2) / kt, 1 - wh * wh / 4, 0.02);
  EXPECT_NEAR(stretch_speed / n * std::sqrt(k * mass / 2) / kt, 0.0, 0.02);
}

/// Dimers with a bond only, a three-dimensional oscillator about length 0.
topology::Topology ideal_dimers(int count, double k, double mass_amu) {
  topology::Topology t;
  t.box.length_nm = {30, 30, 30};
  for (int d = 0; d < count; ++d) {
    t.chains.push_back({"A", 2 * d, 2});
    for (int end = 0; end < 2; ++end) {
      t.residues.push_back({"GLY", end + 1, ' ', d, d, mass_amu, 0});
      const int row = d / 20 % 20, layer = d / 400;
      t.native_nm.push_back({1.4 * (d % 20) + 0.1 * end, 1.4 * row, 7.0 * layer});
    }
    t.bonds.push_back({2 * d, 2 * d + 1, 0, k});
    t.exclusions.emplace_back(2 * d, 2 * d + 1);
  }
  t.short_range.cutoff_nm = 0.1;
  return t;
}

// An ideal gas of dimers has p V = n kT at any step: BAOAB's <x^2> and half-step <v^2> are exact.
// With on-step velocities p V / (n kT) would be 1 - w^2 h^2 / 4 = 0.75.
TEST_P(Langevin, IdealGasPressureIsExactAtLongSteps) {
  constexpr int count = 500, frames = 400;
  constexpr double k = 20000, h = 0.01, wh = 1.0, kt = 0.9;
  const auto topology = ideal_dimers(count, k, 2 * k * h * h / (wh * wh));
  auto settings = settings_at(kt / system::k_boltzmann, GetParam());
  settings.friction_per_ps = 5;
  auto engine = test::engine_alone(topology, settings, test::shaken_native(topology, 0, 1));
  engine.advance(200);
  double sum = 0;
  for (int frame = 0; frame < frames; ++frame) {
    engine.advance(20);
    const auto [kinetic, virial, saturated] = engine.pressure();
    for (std::size_t axis = 0; axis < 3; ++axis)
      sum += (kinetic[axis][axis] + virial[axis][axis]) / 3;
  }
  // 200,000 dimers: each scatters by sqrt(2) kT.
  EXPECT_NEAR(sum / (frames * count * kt), 1.0, 0.02);
}

}  // namespace
}  // namespace nfold::engine
