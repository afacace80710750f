// Condensates compared with exact results: neighbour lists, energy, temperature.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/engine.hpp"
#include "support/condensates.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"

namespace nfold::engine {
namespace {

const auto* const scope = test::start_kokkos();

EngineSettings make_settings(Precision precision, Integrator integrator) {
  EngineSettings s;
  s.precision = precision;
  s.integrator = integrator;
  s.time_step_ps = 0.01;
  s.temperature_kelvin = 300;
  s.friction_per_ps = 0.1;
  s.seed = 3;
  return s;
}

topology::Topology small_box() { return test::condensate({.box = {{5.2, 4.8, 4.6}}, .layers = 2}); }

/// Relaxed and thermalised system. Lattices of chains store energy.
system::State thermal(const topology::Topology& topology) {
  auto start = test::shaken_native(topology, 0.02, 5);
  auto relaxed = test::engine_alone(
      topology, make_settings(Precision::full, Integrator::langevin_baoab), start);
  (void)relaxed.minimise({2000, 50});
  relaxed.advance(3000);
  return relaxed.owned_state();
}

// Compares lists of all pairs, which are never rebuilt, with lists that are rebuilt as residues
// move. A pair missing from a list for one step would change the bits.
TEST(Lists, GiveSameBitsAsAllPairs) {
  const auto topology = small_box();
  const auto start = thermal(topology);
  for (const auto integrator : {Integrator::langevin_baoab, Integrator::velocity_verlet}) {
    auto settings = make_settings(Precision::mixed, integrator);
    settings.skin_nm = 0.15;
    auto with_lists = test::engine_alone(topology, settings, start);
    settings.skin_nm = 20;  // beyond any distance in the box
    auto all_pairs = test::engine_alone(topology, settings, start);
    with_lists.advance(10'000);
    all_pairs.advance(10'000);
    EXPECT_EQ(with_lists.owned_state().position, all_pairs.owned_state().position);
    EXPECT_EQ(with_lists.owned_state().velocity, all_pairs.owned_state().velocity);
    EXPECT_GT(with_lists.statistics().rebuilds, 100);
    EXPECT_LT(all_pairs.statistics().rebuilds, 20);
  }
}

// Unshifted potentials end in a step of the force, so the energy fluctuates a little with any list;
// with shifts it does not jump. The drift must stay below a thousandth of kT per residue.
TEST(Condensate, ConservesEnergyWithoutThermostat) {
  const auto topology = small_box();
  const auto start = thermal(topology);
  for (const auto precision : {Precision::full, Precision::mixed}) {
    auto engine =
        test::engine_alone(topology, make_settings(precision, Integrator::velocity_verlet), start);
    std::vector<double> energy;
    for (int block = 0; block < 100; ++block) {
      engine.advance(200);
      energy.push_back(engine.energies().total());
    }
    double mean_time = 0, mean = 0, covariance = 0, variance = 0;
    for (std::size_t k = 0; k < energy.size(); ++k) {
      mean += energy[k] / static_cast<double>(energy.size());
      mean_time += static_cast<double>(k) / static_cast<double>(energy.size());
    }
    for (std::size_t k = 0; k < energy.size(); ++k) {
      const double t = static_cast<double>(k) - mean_time;
      covariance += t * (energy[k] - mean);
      variance += t * t;
    }
    const double drift = covariance / variance * static_cast<double>(energy.size());
    const double total_kt = 2.494 * topology.residue_count();
    EXPECT_LT(std::abs(drift), 1e-3 * total_kt) << energy.front() << " to " << energy.back();
  }
}

TEST(Condensate, KeepsThermostatTemperature) {
  const auto topology = small_box();
  auto engine = test::engine_alone(
      topology, make_settings(Precision::mixed, Integrator::langevin_baoab), thermal(topology));
  double sum = 0;
  constexpr int samples = 400;
  for (int k = 0; k < samples; ++k) {
    engine.advance(40);
    sum += engine.energies().temperature_kelvin;
  }
  // 312 degrees of freedom. Samples are 0.4 ps apart and decorrelate within 10 ps: 40 independent
  // samples.
  const double error = 300 * std::sqrt(2.0 / (3 * topology.residue_count()) / 40);
  EXPECT_NEAR(sum / samples, 300, 4 * error);
}

TEST(Condensate, RefusesBoxBelowTwiceTheCutoff) {
  auto topology = small_box();
  const auto start = test::shaken_native(topology, 0, 1);
  topology.box.length_nm[1] = 4.3;  // the electrostatic cutoff is 2.2 nm
  try {
    test::engine_alone(topology, make_settings(Precision::mixed, Integrator::langevin_baoab),
                       start);
    FAIL() << "a box of 4.3 nm was taken";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("4.3"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("4.4"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace nfold::engine
