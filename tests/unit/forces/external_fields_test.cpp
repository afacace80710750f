// Forces and energies of external fields.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>

#include "engine/engine.hpp"
#include "engine/forces/reference.hpp"
#include "support/condensates.hpp"
#include "support/engines.hpp"
#include "support/systems.hpp"

namespace nfold::forces {
namespace {

/// Two copies in a box with a wall, a pull and a field that ends, in reach of all beads.
topology::Topology in_fields() {
  auto t = test::ubiquitin(2);
  t.box.length_nm = {9, 0, 8};
  bias::ExternalField wall;
  wall.species = {0};
  wall.axes = {true, true, false};
  wall.origin_nm = {8.5, 1, 0};
  wall.inner_nm = wall.centre_nm = 1.5;
  wall.k_kj_mol_nm2 = 50;
  bias::ExternalField pull;
  pull.species = {0};
  pull.axes = {false, false, true};
  pull.origin_nm = {0, 0, 4};
  pull.slope_kj_mol_nm = 3;
  t.fields = {wall, pull};
  return t;
}

TEST(ExternalFields, MatchReference) {
  const auto topology = in_fields();
  const auto start = test::shaken_native(topology, 0.03, 5);
  const auto expected = reference_forces(topology, test::positions_of(topology.box, start));
  EXPECT_GT(expected.restraint, 100);
  for (const auto precision : {engine::Precision::full, engine::Precision::mixed}) {
    engine::EngineSettings settings;
    settings.precision = precision;
    auto engine = test::engine_alone(topology, settings, start);
    const auto forces = engine.owned_forces();
    const double tolerance = precision == engine::Precision::full ? 1e-6 : 0.5;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        ASSERT_NEAR(forces[i][axis], expected.force[i][axis], tolerance) << i;
      }
    }
    EXPECT_NEAR(engine.energies().external, expected.restraint, 1e-6);
    EXPECT_EQ(engine.energies().external, engine.energies().restraint);
  }
}

TEST(ExternalFields, AreMinusGradient) {
  const auto topology = in_fields();
  const auto start = test::shaken_native(topology, 0.03, 5);
  engine::EngineSettings settings;
  settings.precision = engine::Precision::full;
  auto without = topology;
  without.fields.clear();
  const auto forces = test::engine_alone(topology, settings, start).owned_forces(),
             others = test::engine_alone(without, settings, start).owned_forces();
  for (std::size_t i = 3; i < forces.size(); i += 29) {
    const std::size_t axis = i % 3;
    const std::int64_t h = topology.box.to_counts(axis, 1e-4);
    const auto energy_at = [&](std::int64_t shift) {
      auto moved = start;
      moved.position[i][axis] += shift;
      return test::engine_alone(topology, settings, moved).energies().external;
    };
    const double slope = (energy_at(h) - energy_at(-h)) / (2 * topology.box.to_nm(axis, h));
    EXPECT_NEAR(forces[i][axis] - others[i][axis], -slope, 1e-5) << i;
  }
}

TEST(ExternalFields, EndAtTheirStep) {
  auto topology = in_fields();
  const auto start = test::shaken_native(topology, 0.01, 5);
  engine::EngineSettings settings;
  settings.time_step_ps = 5e-4;
  for (auto& field : topology.fields) field.until_step = 10;
  auto engine = test::engine_alone(topology, settings, start);
  engine.advance(9);
  EXPECT_GT(engine.energies().external, 0);
  engine.advance(1);
  EXPECT_EQ(engine.energies().external, 0);
}

}  // namespace
}  // namespace nfold::forces
