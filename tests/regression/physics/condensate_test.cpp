// Condensates compared with exact results: neighbour lists, energy, temperature.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "input/radial_functions.hpp"
#include "support/condensates.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"
#include "support/tabulated_condensates.hpp"

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

/// Total energy [kJ/mol] without a thermostat.
struct EnergyInTime {
  double drift = 0;      ///< change over the run, by a least-squares line
  double deviation = 0;  ///< standard deviation about its mean
};
EnergyInTime energy_in_time(const topology::Topology& topology, Precision precision,
                            const system::State& start, int steps = 20'000) {
  auto engine =
      test::engine_alone(topology, make_settings(precision, Integrator::velocity_verlet), start);
  std::vector<double> energy;
  for (int block = 0; block < 100; ++block) {
    engine.advance(steps / 100);
    energy.push_back(engine.energies().total());
  }
  const auto count = static_cast<double>(energy.size());
  double mean_time = 0, mean = 0, covariance = 0, variance = 0, square = 0;
  for (std::size_t k = 0; k < energy.size(); ++k) {
    mean += energy[k] / count;
    mean_time += static_cast<double>(k) / count;
  }
  for (std::size_t k = 0; k < energy.size(); ++k) {
    const double t = static_cast<double>(k) - mean_time;
    covariance += t * (energy[k] - mean);
    variance += t * t;
    square += (energy[k] - mean) * (energy[k] - mean);
  }
  return {covariance / variance * count, std::sqrt(square / count)};
}

/// A thousandth of kT per residue [kJ/mol].
double allowed_drift(const topology::Topology& topology) {
  return 1e-3 * 2.494 * topology.residue_count();
}

/// The box with each pair potential as a table of r and U, as a file has it.
topology::Topology box_of_tables() {
  auto topology = small_box();
  const topology::ShortRange built_in = topology.short_range;
  const std::size_t types = built_in.type_names.size();
  std::vector<std::vector<pair_forms::PairFunction>> functions(types * types);
  for (std::size_t a = 0; a < types; ++a) {
    for (std::size_t b = 0; b < types; ++b) {
      pair_forms::PairFunction one{
          pair_forms::FunctionKind::ashbaugh_hatch,
          {built_in.epsilon_kj_mol, (built_in.type_sigma_nm[a] + built_in.type_sigma_nm[b]) / 2,
           (built_in.type_lambda[a] + built_in.type_lambda[b]) / 2},
          nullptr,
          1,
          built_in.cutoff_nm,
          pair_forms::CutoffForm::truncated};
      std::string rows;
      for (double r = 0.2; r < built_in.cutoff_nm + 0.01; r += 0.004) {
        rows += fmt::format("{},{}\n", r, one.beyond_cutoff(r).energy);
      }
      one.kind = pair_forms::FunctionKind::tabulated;
      one.custom = std::make_shared<input::TabulatedFunction>(rows, "pair.csv");
      one.cutoff_form = pair_forms::CutoffForm::shifted;
      functions[a * types + b] = {one};
    }
  }
  topology.short_range = pair_forms::TabulatedPairs::make(std::move(functions), built_in.type_names,
                                                          topology::ShortRangeForm::tabulated);
  return topology;
}

// Unshifted potentials end in a step of the force, so the energy fluctuates a little with any list;
// with shifts it does not jump.
TEST(Condensate, ConservesEnergyWithoutThermostat) {
  const auto topology = small_box();
  const auto start = thermal(topology);
  for (const auto precision : {Precision::full, Precision::mixed}) {
    EXPECT_LT(std::abs(energy_in_time(topology, precision, start).drift), allowed_drift(topology));
  }
}

// A table whose force is not the slope of its energy would heat or cool the box.
TEST(Condensate, TablesConserveEnergyAsTheBuiltInPotential) {
  const auto built_in = small_box();
  const auto start = thermal(built_in);
  const std::vector<topology::Topology> tables{
      test::tabulated(small_box(), test::TabulatedPairKind::mixed), box_of_tables()};
  constexpr int steps = 3000;
  int run = 0;
  for (const auto precision : {Precision::full, Precision::mixed}) {
    const auto expected = energy_in_time(built_in, precision, start, steps);
    for (const auto& topology : tables) {
      const auto found = energy_in_time(topology, precision, start, steps);
      EXPECT_LT(std::abs(found.drift), allowed_drift(topology)) << expected.drift;
      EXPECT_LT(found.deviation, 1.3 * expected.deviation);
      RecordProperty(
          fmt::format("run_{}", run++),
          fmt::format("drift {:.4f} beside {:.4f}, deviation {:.4f} beside {:.4f} kJ/mol",
                      found.drift, expected.drift, found.deviation, expected.deviation));
    }
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
