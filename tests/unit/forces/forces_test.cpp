// Forces and energies of the engine against the sequential reference and finite differences.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "engine/engine.hpp"
#include "engine/forces/reference.hpp"
#include "model/topology/flexible_angles.hpp"
#include "support/condensates.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"
#include "support/tabulated_condensates.hpp"

namespace nfold::forces {
namespace {

const auto* const scope = test::start_kokkos();

struct Case {
  const char* name;
  topology::Topology (*make)();
};
class EngineForces : public testing::TestWithParam<Case> {};

using Form = topology::ShortRangeForm;
const Case cases[] = {
    {"go", [] { return test::ubiquitin(); }},
    {"go_copies", [] { return test::ubiquitin(8); }},
    {"go_gaussian", [] { return test::ubiquitin(1, system::ContactPotential::gaussian); }},
    {"go_boxed",
     [] {
       auto t = test::ubiquitin(8);  // the copies also touch across the boundaries
       t.box.length_nm = {6.4, 6.4, 6.4};
       return t;
     }},
    {"tabulated_angles",
     [] {
       auto t = test::ubiquitin(2);
       topology::add_flexible_angles(t);
       return t;
     }},
    {"aicg", [] { return test::aicg_ubiquitin(); }},
    {"biased",
     [] {
       auto t = test::ubiquitin(2);
       topology::add_bias(t,
                          {bias::distance_between(0, 75), bias::BiasForm::flat_bottom, 2, 40, 0.3});
       topology::add_bias(t, {bias::distance_between(3, 40), bias::BiasForm::linear, 0, -15});
       topology::add_bias(t, {bias::distance_between(80, 90), bias::BiasForm::harmonic, 1, 100});
       return t;
     }},
    {"biased_size",  // radius of gyration of a chain across the boundary
     [] {
       auto t = test::ubiquitin(2);
       t.box.length_nm = {9, 0, 8};
       std::vector<int> chain(76);
       std::iota(chain.begin(), chain.end(), 76);
       topology::add_bias(
           t, {{bias::VariableKind::radius_of_gyration, chain}, bias::BiasForm::harmonic, 2, 300});
       topology::add_bias(t, {bias::distance_between(0, 100), bias::BiasForm::linear, 0, -15});
       return t;
     }},
    {"biased_in_a_box",  // each form on each variable
     [] {
       using bias::BiasForm;
       auto t = test::ubiquitin(2);
       t.box.length_nm = {9, 8.5, 8};
       std::vector<int> chain(76);
       std::iota(chain.begin(), chain.end(), 76);
       const bias::Variable size{bias::VariableKind::radius_of_gyration, chain};
       topology::add_bias(t, {bias::distance_between(0, 75), BiasForm::flat_bottom, 2, 40, 0.3});
       topology::add_bias(t, {bias::distance_between(3, 100), BiasForm::linear, 0, -15});
       topology::add_bias(t, {bias::distance_between(80, 90), BiasForm::harmonic, 1, 100});
       topology::add_bias(t, {size, BiasForm::flat_bottom, 2, 300, 0.2});
       topology::add_bias(t, {size, BiasForm::linear, 0, 60});
       topology::add_bias(t, {size, BiasForm::harmonic, 2, 300});
       return t;
     }},
    {"ashbaugh_hatch", [] { return test::condensate({}); }},
    {"strands", [] { return test::strands(); }},
    {"ashbaugh_hatch_domains", [] { return test::condensate({.domains_only_repel = true}); }},
    {"ashbaugh_hatch_open", [] { return test::condensate({.shifted = false, .box = {}}); }},
    {"ashbaugh_hatch_slab",
     [] {
       return test::condensate({.cutoff_over_sigma = 2.4, .box = {{5.2, 4.8, 40}}, .layers = 3});
     }},
    {"wang_frenkel", [] { return test::condensate({.form = Form::wang_frenkel}); }},
    {"wang_frenkel_small_box",  // a list distance beyond half the box
     [] {
       return test::condensate(
           {.form = Form::wang_frenkel, .box = {{5.0, 4.6, 4.45}}, .layers = 4});
     }},
    {"kim_hummer", [] { return test::condensate({.form = Form::kim_hummer, .shifted = false}); }},
    {"kim_hummer_domains_by_sigma",
     [] {
       return test::condensate(
           {.form = Form::kim_hummer, .domains_only_repel = true, .cutoff_over_sigma = 3});
     }},
    {"tabulated_mixed",
     [] { return test::tabulated(test::condensate({}), test::TabulatedPairKind::mixed); }},
    {"tabulated_pairs",
     [] {
       return test::tabulated(test::condensate({}), test::TabulatedPairKind::pairs,
                              test::TabulatedChargeKind::products);
     }},
    {"tabulated_sites",
     [] {
       return test::tabulated(test::condensate({}), test::TabulatedPairKind::sites,
                              test::TabulatedChargeKind::types);
     }},
    {"charged_exclusions", [] { return test::with_charged_exclusions(test::condensate({})); }},
    {"charged_exclusions_open",
     [] { return test::with_charged_exclusions(test::condensate({.box = {}})); }},
};

TEST_P(EngineForces, MatchReference) {
  const auto topology = GetParam().make();
  for (const double shake : {0.0, 0.03, 0.06}) {
    const auto start = test::shaken_native(topology, shake, 5);
    const auto expected = reference_forces(topology, test::positions_of(topology.box, start));
    ASSERT_EQ(expected.force.size(), topology.residues.size());
    double scale = 0;
    for (const auto& f : expected.force) {
      for (const double c : f) scale = std::max(scale, std::abs(c));
    }
    for (const auto precision : {engine::Precision::full, engine::Precision::mixed}) {
      engine::EngineSettings settings;
      settings.precision = precision;
      auto engine = test::engine_alone(topology, settings, start);
      const auto forces = engine.owned_forces();
      ASSERT_EQ(forces.size(), expected.force.size());
      // float keeps seven digits of each term; the force of a bond is 20000 times its sixth decimal
      // [nm].
      const double tolerance =
          precision == engine::Precision::full ? 1e-8 + 1e-11 * scale : 2e-2 + 2e-6 * scale;
      for (std::size_t i = 0; i < forces.size(); ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          ASSERT_NEAR(forces[i][axis], expected.force[i][axis], tolerance) << i;
        }
      }
      const auto energies = engine.energies();
      const double digits = 1e-9;  // relative, plus the rounding of each term to 2^-32 kJ/mol
      EXPECT_NEAR(energies.bond, expected.bond, digits * expected.bond + 1e-7);
      EXPECT_NEAR(energies.angle, expected.angle, digits * (1 + std::abs(expected.angle)) + 1e-7);
      EXPECT_NEAR(energies.dihedral, expected.dihedral,
                  digits * (1 + std::abs(expected.dihedral)) + 1e-7);
      EXPECT_NEAR(energies.contact, expected.contact, digits * std::abs(expected.contact) + 1e-7);
      EXPECT_NEAR(energies.restraint, expected.restraint, digits * expected.restraint + 1e-7);
      // Mixed precision sums the potential with the float parameters of its forces.
      const double pair_digits = precision == engine::Precision::full ? digits : 1e-6;
      EXPECT_NEAR(energies.short_range, expected.short_range,
                  pair_digits * (1 + std::abs(expected.short_range)) + 1e-6);
      EXPECT_NEAR(energies.electrostatic, expected.electrostatic,
                  pair_digits * (1 + std::abs(expected.electrostatic)) + 1e-6);
    }
  }
}

/// State of a run: at its temperature, and on the fine grid of the exact positions.
system::State thermal_state(const topology::Topology& topology) {
  engine::EngineSettings settings;
  settings.precision = engine::Precision::full;
  settings.time_step_ps = 5e-4;
  settings.friction_per_ps = 10;
  settings.temperature_kelvin = topology.contact_count() > 0 ? 100 : 300;
  auto engine = test::engine_alone(topology, settings, test::shaken_native(topology, 0.01, 5));
  engine.advance(4000);
  return engine.owned_state();
}

// Root mean square error of mixed precision over all residues, relative to that of the forces.
// Positions are rounded to 2^-20 nm along an open axis and to 2^-32 of the edge along a periodic
// one, with the digits of a float.
TEST_P(EngineForces, MixedPrecisionErrorMatchesGrid) {
  const auto topology = GetParam().make();
  const auto start = thermal_state(topology);
  const auto forces_in = [&](engine::Precision precision) {
    engine::EngineSettings settings;
    settings.precision = precision;
    return test::engine_alone(topology, settings, start).owned_forces();
  };
  const auto exact = forces_in(engine::Precision::full),
             mixed = forces_in(engine::Precision::mixed);
  ASSERT_EQ(exact.size(), mixed.size());
  double error = 0, all = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      error += std::pow(mixed[i][axis] - exact[i][axis], 2);
      all += std::pow(exact[i][axis], 2);
    }
  }
  const double relative = std::sqrt(error / all);
  RecordProperty("relative_error", std::to_string(1e6 * relative) + "e-6");
  const bool has_open_axis = !(topology.box.volume_nm3() > 0);
  EXPECT_GT(relative, has_open_axis ? 1e-5 : 0);
  EXPECT_LT(relative, has_open_axis ? 2e-4 : 1e-5);
}

// Newton's third law holds exactly in force quanta; a bias rounds the force on each of its
// residues.
TEST_P(EngineForces, SumToZero) {
  const auto topology = GetParam().make();
  const auto start = test::shaken_native(topology, 0.05, 9);
  for (const auto precision : {engine::Precision::full, engine::Precision::mixed}) {
    engine::EngineSettings settings;
    settings.precision = precision;
    auto engine = test::engine_alone(topology, settings, start);
    constexpr double mixed_force_quantum = 0x1p-12;  // [kJ/mol/nm]
    const bool is_full = precision == engine::Precision::full;
    double most = is_full ? 1e-7 : 1e-9;
    for (const auto& bias : topology.biases) {
      if (bias.variable.residues.size() == 2 || is_full) continue;
      most += 0.5 * mixed_force_quantum * static_cast<double>(bias.variable.residues.size());
    }
    std::array<double, 3> total{0, 0, 0};
    const auto forces = engine.owned_forces();
    ASSERT_EQ(forces.size(), topology.residues.size());
    for (const auto& f : forces) {
      for (std::size_t axis = 0; axis < 3; ++axis) total[axis] += f[axis];
    }
    for (const double c : total) EXPECT_NEAR(c, 0, most);
  }
}

// Forces are minus the gradient of the energy that the engine reports.
TEST_P(EngineForces, AreMinusGradient) {
  const auto topology = GetParam().make();
  const auto start = test::shaken_native(topology, 0.03, 3);
  engine::EngineSettings settings;
  settings.precision = engine::Precision::full;
  auto engine = test::engine_alone(topology, settings, start);
  const auto forces = engine.owned_forces();
  ASSERT_EQ(forces.size(), topology.residues.size());
  double scale = 0;
  for (const auto& f : forces) {
    for (const double c : f) scale = std::max(scale, std::abs(c));
  }
  for (std::size_t i = 0; i < forces.size(); i += forces.size() / 7 + 4) {
    const std::size_t axis = i % 3;
    const std::int64_t h = topology.box.to_counts(axis, 3e-5);
    const auto energy_at = [&](std::int64_t shift) {
      auto moved = start;
      moved.position[i][axis] += shift;
      auto other = test::engine_alone(topology, settings, moved);
      return other.energies().potential();
    };
    const double slope =
        (8 * (energy_at(h) - energy_at(-h)) - (energy_at(2 * h) - energy_at(-2 * h))) /
        (12 * topology.box.to_nm(axis, h));
    EXPECT_NEAR(forces[i][axis], -slope, 1e-6 * scale) << i;
  }
}

// Positions are fractions of the box: a longer box at the same counts stretches the system. The
// virial is minus the slope of the energy in the logarithm of the length.
TEST_P(EngineForces, VirialIsSlopeInBoxLength) {
  const auto topology = GetParam().make();
  if (topology.box.is_open()) GTEST_SKIP() << "an open box has no length";
  const auto start = test::shaken_native(topology, 0.03, 3);
  engine::EngineSettings settings;
  settings.precision = engine::Precision::full;
  const auto pressure = test::engine_alone(topology, settings, start).pressure();
  const auto slope_along = [&](const std::vector<std::size_t>& axes) {
    const auto energy_at = [&](double strain) {
      auto other = topology;
      for (const auto axis : axes) other.box.length_nm[axis] *= std::exp(strain);
      return test::engine_alone(other, settings, start).energies().potential();
    };
    constexpr double h = 2e-6;
    return (8 * (energy_at(h) - energy_at(-h)) - (energy_at(2 * h) - energy_at(-2 * h))) / (12 * h);
  };
  if (topology.box.volume_nm3() > 0) {
    const double trace = pressure.virial[0][0] + pressure.virial[1][1] + pressure.virial[2][2];
    const double slope = slope_along({0, 1, 2});
    EXPECT_NEAR(trace, -slope, 1e-4 * (10 + std::abs(slope)));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!topology.box.is_periodic(axis)) continue;
    const double slope = slope_along({axis});
    EXPECT_NEAR(pressure.virial[axis][axis], -slope, 1e-4 * (10 + std::abs(slope)));
    for (std::size_t other = 0; other < 3; ++other) {
      EXPECT_EQ(pressure.virial[axis][other], pressure.virial[other][axis]);
      double kinetic = 0;
      for (std::size_t i = 0; i < start.velocity.size(); ++i) {
        kinetic +=
            topology.residues[i].mass_amu * start.velocity[i][axis] * start.velocity[i][other];
      }
      EXPECT_NEAR(pressure.kinetic[axis][other], kinetic, 1e-6);
    }
  }
}

// Minimisation from overlaps with clamped forces down to small forces.
TEST_P(EngineForces, MinimiserReducesForces) {
  const auto topology = GetParam().make();
  auto start = test::shaken_native(topology, 0.1, 7);
  for (std::size_t axis = 0; axis < 3; ++axis) {  // two residues nearly coincide
    start.position[5][axis] = start.position[40][axis] + topology.box.to_coarse_counts(axis, 0.002);
  }
  for (const auto precision : {engine::Precision::full, engine::Precision::mixed}) {
    engine::EngineSettings settings;
    settings.precision = precision;
    auto engine = test::engine_alone(topology, settings, start);
    const auto result = engine.minimise({3000, 20});
    EXPECT_TRUE(result.converged) << result.largest_force_kj_mol_nm;
    EXPECT_TRUE(result.forces_were_clamped) << static_cast<int>(precision) << ' ' << result.steps;
    EXPECT_GT(result.steps, 10);
    EXPECT_EQ(engine.step(), 0);
    EXPECT_EQ(engine.owned_state().velocity, start.velocity);
    double largest = 0;
    for (const auto& f : engine.owned_forces()) {
      for (const double c : f) largest = std::max(largest, std::abs(c));
    }
    EXPECT_LE(largest, 20.0);
    EXPECT_GT(largest, 0.0);
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, EngineForces, testing::ValuesIn(cases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Engine, EnergyIsTranslationInvariant) {
  const auto topology = test::ubiquitin();
  const auto start = test::shaken_native(topology, 0.03, 3);
  auto moved = start;
  for (auto& p : moved.position) p[1] += std::int64_t{7'000'000} << 32;  // past int32's wrap
  for (const auto precision : {engine::Precision::full, engine::Precision::mixed}) {
    engine::EngineSettings settings;
    settings.precision = precision;
    EXPECT_EQ(test::engine_alone(topology, settings, start).energies().total(),
              test::engine_alone(topology, settings, moved).energies().total());
  }
}

// The reference is a topology with scaled contacts.
TEST(Engine, ContactStrengthScalesNativeContacts) {
  for (const auto potential :
       {system::ContactPotential::lennard_jones_12_10, system::ContactPotential::gaussian}) {
    const auto topology = test::ubiquitin(1, potential);
    const auto start = test::shaken_native(topology, 0.03, 3);
    for (const double strength : {0.7, 1.3}) {
      auto scaled = topology;
      for (auto& c : scaled.contacts_12_10.items()) c.epsilon_kj_mol *= strength;
      for (auto& c : scaled.contacts_gaussian.items()) {
        c.epsilon_kj_mol *= strength;
        c.a_kj_mol_nm12 *= strength;
      }
      engine::EngineSettings settings;
      settings.precision = engine::Precision::full;
      auto expected = test::engine_alone(scaled, settings, start);
      const auto unscaled = test::engine_alone(topology, settings, start).energies();
      settings.contact_strength = strength;
      auto engine = test::engine_alone(topology, settings, start);
      const auto a = engine.owned_forces(), b = expected.owned_forces();
      ASSERT_EQ(a.size(), topology.residues.size());
      ASSERT_EQ(b.size(), a.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) ASSERT_NEAR(a[i][axis], b[i][axis], 1e-6) << i;
      }
      const auto energies = engine.energies();
      EXPECT_NEAR(energies.contact, expected.energies().contact, 1e-6);
      EXPECT_NEAR(energies.potential(), expected.energies().potential(), 1e-6);
      EXPECT_EQ(energies.contact_at_full_strength, unscaled.contact);
      const auto virial = engine.pressure().virial, other = expected.pressure().virial;
      for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(virial[k][k], other[k][k], 1e-6);
    }
  }
}

TEST(Engine, ReportsSaturatedSums) {
  const auto topology = test::ubiquitin();
  auto start = test::shaken_native(topology, 0.03, 3);
  const auto saturated = [&] {
    auto engine = test::engine_alone(topology, engine::EngineSettings{}, start);
    return std::pair(engine.energies().saturated, engine.pressure().saturated);
  };
  EXPECT_EQ(saturated(), std::pair(false, false));
  start.velocity[20] = {0, 0, 75};  // 281,250 kJ/mol at 100 amu; twice that in the tensor
  EXPECT_EQ(saturated(), std::pair(true, true));
  start.velocity[20] = {0, 0, 60};  // 180,000 kJ/mol, and 360,000 in the tensor
  EXPECT_EQ(saturated(), std::pair(false, true));
  start.velocity[20] = {0, 0, 0};
  start.position[75][0] += topology.box.to_coarse_counts(0, 90);  // the last bond, 90 nm long
  EXPECT_EQ(saturated(), std::pair(true, true));
}

TEST(Engine, ExplosionNamesResidueAndKeepsFiniteState) {
  const auto topology = test::ubiquitin();
  auto start = test::shaken_native(topology, 0, 1);
  start.velocity[20] = {40, 0, 0};
  for (const auto precision : {engine::Precision::full, engine::Precision::mixed}) {
    engine::EngineSettings settings;
    settings.precision = precision;
    settings.time_step_ps = 0.01;
    auto engine = test::engine_alone(topology, settings, start);
    try {
      engine.advance(1000);
      FAIL() << "no explosion noticed";
    } catch (const engine::ExplosionError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("ASP 21"), std::string::npos) << text;
      EXPECT_NE(text.find("kJ/mol/nm"), std::string::npos) << text;
      EXPECT_NE(text.find("step " + std::to_string(engine.step() + 1)), std::string::npos) << text;
    }
    for (const auto& p : engine.owned_state().position) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_LT(std::abs(system::Box{}.to_nm(axis, p[axis])), 100);
      }
    }
  }
}

TEST(Engine, RefusesInvalidSettingsAndStates) {
  const auto topology = test::ubiquitin();
  const auto start = test::shaken_native(topology, 0, 1);
  engine::EngineSettings settings;
  settings.time_step_ps = 0;
  EXPECT_THROW(test::engine_alone(topology, settings, start), std::invalid_argument);
  settings.time_step_ps = 0.01;
  auto short_start = start;
  short_start.position.pop_back();
  EXPECT_THROW(test::engine_alone(topology, settings, short_start), std::invalid_argument);
  EXPECT_THROW(engine::Engine(comm::Communicator(), topology, settings, start,
                              std::vector<int>(topology.residues.size(), 1)),
               std::invalid_argument);
  // The largest domain number that pair tags can hold, and the next one.
  auto folded = topology;
  folded.residues.items()[3].domain = (1 << 20) - 2;
  EXPECT_NO_THROW((void)test::engine_alone(folded, settings, start));
  ++folded.residues.items()[3].domain;
  EXPECT_THROW((void)test::engine_alone(folded, settings, start), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::forces
