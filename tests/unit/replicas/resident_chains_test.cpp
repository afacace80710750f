// Resident replicas of disordered chains against engines, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "model/start/initial_state.hpp"
#include "replicas/replica_set.hpp"
#include "support/condensates.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/same_bits.hpp"
#include "support/systems.hpp"

namespace nfold::replicas {
namespace {

const auto* const scope = test::start_kokkos();

using topology::ShortRangeForm;
constexpr auto ashbaugh_hatch = ShortRangeForm::ashbaugh_hatch;

engine::EngineSettings chain_settings() { return test::settings_of_chains(0x123456789abcdef); }

std::vector<ReplicaStart> make_starts(const topology::Topology& topology, int replicas,
                                      double shake_nm = 0.02) {
  std::vector<ReplicaStart> starts;
  for (int k = 0; k < replicas; ++k) {
    const auto number = static_cast<std::uint32_t>(7 + 90'000 * k);
    auto state = test::shaken_native(topology, shake_nm, static_cast<std::uint32_t>(k));
    start::draw_velocities(topology, 290 + 10 * k, 99, number, state);
    state.step = (std::int64_t{1} << 33) + 5;
    starts.push_back({number, {290.0 + 10 * k}, state});
  }
  return starts;
}

/// Compares states and energies of both forms. Returns the steps that engines recomputed.
std::int64_t expect_engines_bits(const topology::Topology& topology,
                                 const std::vector<ReplicaStart>& starts, std::int64_t steps,
                                 const engine::EngineSettings& settings = chain_settings(),
                                 const bias::Variable& umbrella = {}) {
  ReplicaSet resident(topology, settings, starts,
                      {.form = ReplicaForm::resident, .umbrella = umbrella});
  ReplicaSet engines(topology, settings, starts,
                     {.form = ReplicaForm::engines, .umbrella = umbrella});
  for (const auto now : {std::int64_t{0}, steps / 3, steps - steps / 3}) {
    resident.advance(now);
    engines.advance(now);
    const auto found = resident.energies(), expected = engines.energies();
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const auto what = "replica " + std::to_string(k);
      test::expect_same_state(resident.state(static_cast<int>(k)),
                              engines.state(static_cast<int>(k)), what);
      test::expect_same_energies(found[k].energies, expected[k].energies, what);
      EXPECT_EQ(found[k].umbrella_variable_nm, expected[k].umbrella_variable_nm) << k;
    }
  }
  return resident.steps_by_engine();
}

TEST(ResidentChains, EveryLengthMatchesEngines) {
  for (const auto form : {ashbaugh_hatch, ShortRangeForm::wang_frenkel}) {
    for (const int residues : {2, 7, 8, 9, 16, 33, 64, 101}) {
      const auto topology = test::free_chains(form, residues, 1);
      EXPECT_EQ(expect_engines_bits(topology, make_starts(topology, 3), 150), 0) << residues;
    }
  }
}

TEST(ResidentChains, SeveralChainsMatchEngines) {
  for (const auto form : {ashbaugh_hatch, ShortRangeForm::wang_frenkel}) {
    const auto topology = test::free_chains(form, 21, 5);
    EXPECT_EQ(expect_engines_bits(topology, make_starts(topology, 5), 300), 0);
  }
}

/// Each variant of the potentials that the form computes.
TEST(ResidentChains, VariantsOfPotentialsMatchEngines) {
  const auto expect = [](const std::function<void(topology::Topology&)>& change) {
    auto topology = test::free_chains(ashbaugh_hatch, 23, 3);
    change(topology);
    EXPECT_EQ(expect_engines_bits(topology, make_starts(topology, 2), 200), 0);
  };
  expect([](auto& t) { t.short_range.cutoff_over_sigma = 2.5; });
  expect([](auto& t) { t.short_range.shifted = t.electrostatics.shifted = false; });
  expect([](auto& t) {
    t.short_range.domains_only_repel = true;
    for (std::size_t i = 4; i < 15; ++i) t.residues.items()[i].domain = 0;
  });
  expect([](auto& t) {
    for (auto& residue : t.residues.items()) residue.charge_e = 0;
  });
  expect([](auto& t) { t.electrostatics.cutoff_nm = 40; });
  expect([](auto& t) {  // more excluded pairs
    for (int i = 0; i + 3 < 23; ++i) t.exclusions.emplace_back(i, i + 3);
    std::sort(t.exclusions.items().begin(), t.exclusions.items().end());
  });
}

/// The product of three numbers depends on their order, so that the forces of a pair differ.
TEST(ResidentChains, UnevenChargesMatchEngines) {
  auto topology = test::free_chains(ashbaugh_hatch, 40, 2);
  const double charges[] = {0.7, -0.3, 1, 1.9};
  for (std::size_t i = 0; i < topology.residues.size(); ++i) {
    topology.residues.items()[i].charge_e = charges[i % 4];
  }
  EXPECT_EQ(expect_engines_bits(topology, make_starts(topology, 2), 300), 0);
}

/// Floats hold the positions of a replica up to 32 nm wide.
TEST(ResidentChains, DistantChainsMatchEngines) {
  const auto topology = test::free_chains(ashbaugh_hatch, 20, 2);
  for (const double apart_nm : {25.0, 31.5, 40.0, 900.0}) {
    auto starts = make_starts(topology, 3);
    for (std::size_t i = 20; i < 40; ++i) {
      starts[1].state.position[i][1] += topology.box.to_coarse_counts(1, apart_nm);
    }
    EXPECT_EQ(expect_engines_bits(topology, starts, 150), 0) << apart_nm;
  }
}

TEST(ResidentChains, UmbrellasMatchEngines) {
  const auto topology = test::free_chains(ashbaugh_hatch, 30, 1);
  auto starts = make_starts(topology, 4);
  for (std::size_t k = 0; k < starts.size(); ++k) {
    starts[k].thermodynamic.umbrella_centre_nm = 9 + static_cast<double>(k);
    starts[k].thermodynamic.umbrella_k_kj_mol_nm2 = k == 2 ? 0 : 150;
  }
  EXPECT_EQ(
      expect_engines_bits(topology, starts, 200, chain_settings(), bias::distance_between(1, 28)),
      0);
}

TEST(ResidentChains, SkinChangesNoBit) {
  const auto topology = test::free_chains(ashbaugh_hatch, 60, 1);
  auto settings = chain_settings();
  for (const double skin_nm : {0.02, 0.7}) {
    settings.skin_nm = skin_nm;
    EXPECT_EQ(expect_engines_bits(topology, make_starts(topology, 2), 200, settings), 0);
  }
}

/// Pairs and charges whose forces one addition cannot round.
TEST(ResidentChains, LargeForcesMatchEngines) {
  auto topology = test::free_chains(ashbaugh_hatch, 19, 2);
  for (auto& residue : topology.residues.items()) residue.charge_e *= 12;
  auto settings = chain_settings();
  settings.time_step_ps = 1e-4;
  EXPECT_EQ(expect_engines_bits(topology, make_starts(topology, 4, 0.08), 9, settings), 0);
}

TEST(ResidentChains, ForcesOutOfRangeFallBackToEngines) {
  const auto topology = test::free_chains(ashbaugh_hatch, 19, 2);
  auto starts = make_starts(topology, 2);
  // A stretched bond, out of range by the sum of its components only.
  for (std::size_t i = 30; i < 38; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      starts[1].state.position[i][axis] += topology.box.to_coarse_counts(axis, 1.1);
    }
  }
  auto settings = chain_settings();
  settings.time_step_ps = 1e-4;
  EXPECT_GT(expect_engines_bits(topology, starts, 9, settings), 0);
}

/// An umbrella presses a chain together until steps explode.
TEST(ResidentChains, RescuedStepsMatchEngines) {
  const auto topology = test::free_chains(ashbaugh_hatch, 30, 1);
  auto starts = make_starts(topology, 2);
  starts[1].thermodynamic.umbrella_centre_nm = 3;
  starts[1].thermodynamic.umbrella_k_kj_mol_nm2 = 150;
  EXPECT_GT(
      expect_engines_bits(topology, starts, 60, chain_settings(), bias::distance_between(1, 28)),
      0);
}

}  // namespace
}  // namespace nfold::replicas
