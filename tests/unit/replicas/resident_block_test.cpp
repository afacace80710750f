// Resident CUDA kernel on emulated blocks against engines, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/step_constants.hpp"
#include "replicas/resident_tables.hpp"
#include "support/condensates.hpp"
#include "support/cuda/emulated_block.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"
#include "system/units.hpp"
// Included after the emulated CUDA language.
#include "model/start/initial_state.hpp"
#include "replicas/cuda/resident_kernel.hpp"

namespace nfold::kernels {
// Dynamic shared memory of the kernel.
alignas(16) char resident_shared[resident_shared_bytes];
}  // namespace nfold::kernels

namespace nfold::replicas {
namespace {

const auto* const scope = test::start_kokkos();

using kernels::AshbaughHatchChains;
using kernels::Contact1210;
using kernels::ContactGaussian;
using kernels::Mixed;
using kernels::ResidentPositionFormat;
using kernels::WangFrenkelChains;

using test::settings_of_go;

struct Replica {
  std::uint32_t number;
  double kelvin;
  float strength;
  system::State state;
  double centre_nm = 1, k_kj_mol_nm2 = 150;  // umbrella, if the system has one
  topology::Electrostatics electrostatics;
};

/// Parameters of a test.
struct Case {
  bias::Variable umbrella = {};
  double shake_nm = 0.01;  // from the native structure
  ResidentPositionFormat position_format = ResidentPositionFormat::floats;
  double apart_nm = 0;    // shift of the second half of the residues along each axis
  double skin_nm = 0.12;  // default on a GPU
};

/// Two of three replicas stand about the native structure.
std::vector<Replica> some_replicas(const topology::Topology& topology, int count,
                                   const Case& parameters = {}) {
  std::vector<Replica> all;
  for (int k = 0; k < count; ++k) {
    const auto number = static_cast<std::uint32_t>(3 + 70'000 * k);
    auto state = k % 3 == 2 ? start::unfolded_start(topology, 5 + static_cast<std::uint64_t>(k))
                            : test::shaken_native(topology, parameters.shake_nm,
                                                  static_cast<std::uint32_t>(k));
    for (std::size_t i = state.position.size() / 2; i < state.position.size(); ++i) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        state.position[i][axis] += topology.box.to_coarse_counts(axis, parameters.apart_nm);
      }
    }
    start::draw_velocities(topology, 100 + k, 99, number, state);
    auto charges = topology.electrostatics;
    charges.coulomb_kj_mol_nm *= 1 + 0.1 * k;
    charges.kappa_per_nm *= 1 - 0.02 * k;
    all.push_back({number, 100.0 + k, k % 2 == 0 ? 1.0F : 0.75F, state, 1 + 0.1 * k, 150, charges});
  }
  return all;
}

/// Memory of a launch, (groups, residues, 3, width), all groups whole.
struct Launch {
  std::vector<std::int64_t> position;
  std::vector<double> velocity, noise;
  std::vector<std::int32_t> force;
  std::vector<std::uint32_t> number;
  std::vector<float> strength;
  std::vector<int> unsure;
  std::vector<kernels::ResidentUmbrella> umbrella;
  std::vector<kernels::DebyeHueckel<float>> electrostatics;
  std::vector<std::uint32_t> lists;
};

std::size_t component_index(int replica, int residue, int axis, int residues, int width) {
  const int row = ((replica / width * residues + residue) * 3 + axis) * width;
  return static_cast<std::size_t>(row) + static_cast<std::size_t>(replica % width);
}

template <class Contact>
Launch advanced(const topology::Topology& topology, const std::vector<Replica>& replicas, int width,
                const ResidentRoles& roles, std::int64_t steps, const Case& parameters) {
  const auto settings = settings_of_go();
  const ResidentTables<Contact> tables(topology, settings, parameters.skin_nm, parameters.umbrella,
                                       forces::PairPotentials(topology));
  const auto count = static_cast<int>(replicas.size());
  const int groups = count / width, residues = topology.residue_count();
  Launch launch;
  const auto components = static_cast<std::size_t>(count) * static_cast<std::size_t>(residues) * 3;
  launch.position.resize(components);
  launch.velocity.resize(components);
  launch.force.resize(components);
  launch.unsure.resize(replicas.size());
  const auto sizes = resident_list_sizes(tables.system());
  launch.lists.resize(static_cast<std::size_t>(groups * sizes.entries(width)));
  for (int r = 0; r < count; ++r) {
    const auto& one = replicas[static_cast<std::size_t>(r)];
    launch.number.push_back(one.number);
    launch.strength.push_back(one.strength);
    launch.umbrella.push_back({{one.centre_nm, one.k_kj_mol_nm2},
                               {static_cast<float>(one.centre_nm),
                                static_cast<float>(one.k_kj_mol_nm2) * quanta_per_unit}});
    launch.electrostatics.push_back(
        forces::PairPotentials::debye_hueckel<float>(one.electrostatics, Mixed::force_quantum));
    for (int i = 0; i < residues; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto at = component_index(r, i, axis, residues, width);
        const auto row = static_cast<std::size_t>(i), a = static_cast<std::size_t>(axis);
        launch.position[at] = one.state.position[row][a];
        launch.velocity[at] = one.state.velocity[row][a];
      }
    }
  }
  for (const double mass : tables.class_masses_amu()) {
    for (const auto& one : replicas) {
      launch.noise.push_back(engine::kick_of(mass, one.kelvin, settings.time_step_ps,
                                             tables.system().constants.velocity_decay,
                                             Mixed::force_quantum)
                                 .noise);
    }
  }
  const kernels::ResidentReplicas where{count,
                                        groups,
                                        launch.position.data(),
                                        launch.velocity.data(),
                                        launch.force.data(),
                                        launch.number.data(),
                                        launch.noise.data(),
                                        launch.strength.data(),
                                        launch.umbrella.data(),
                                        launch.electrostatics.data(),
                                        launch.unsure.data()};
  const auto run =
      resident_run(tables.system(), where, 0, steps, width, roles, launch.lists.data());
  test::run_blocks(static_cast<unsigned>(groups), static_cast<unsigned>(roles.threads), [&] {
    resident_kernel<Contact>(roles, width, parameters.position_format)(run);
  });
  return launch;
}

template <class Contact>
void expect_engines_bits(const topology::Topology& topology, int count, int width,
                         const ResidentRoles& roles, std::int64_t steps,
                         const Case& parameters = {}) {
  const auto replicas = some_replicas(topology, count, parameters);
  const auto launch = advanced<Contact>(topology, replicas, width, roles, steps, parameters);
  const int residues = topology.residue_count();
  for (int r = 0; r < count; ++r) {
    const auto& one = replicas[static_cast<std::size_t>(r)];
    auto settings = settings_of_go();
    settings.replica = one.number;
    settings.temperature_kelvin = one.kelvin;
    settings.contact_strength = one.strength;
    auto held = topology;
    if (parameters.umbrella.is_defined()) {
      topology::add_bias(
          held, {parameters.umbrella, bias::BiasForm::harmonic, one.centre_nm, one.k_kj_mol_nm2});
    }
    held.electrostatics = one.electrostatics;
    auto engine = test::engine_alone(held, settings, one.state);
    engine.advance(steps);
    const auto state = engine.owned_state();
    const auto forces = engine.owned_forces();
    int wrong = 0;
    for (int i = 0; i < residues; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto at = component_index(r, i, axis, residues, width);
        const auto row = static_cast<std::size_t>(i), a = static_cast<std::size_t>(axis);
        wrong += launch.position[at] != state.position[row][a] ? 1 : 0;
        wrong += launch.velocity[at] != state.velocity[row][a] ? 1 : 0;
        wrong += launch.force[at] * Mixed::force_quantum != forces[row][a] ? 1 : 0;
      }
    }
    EXPECT_EQ(wrong, 0) << "replica " << r << " of width " << width << " with " << roles.threads
                        << " threads";
    EXPECT_EQ(launch.unsure[static_cast<std::size_t>(r)], 0) << r;
  }
}

/// Uses the roles that a launch of this width chooses.
TEST(ResidentBlock, EveryWidthMatchesEngines) {
  const auto topology = test::hairpin();
  for (const int width : {1, 2, 4, 8, 16, 32}) {
    expect_engines_bits<Contact1210>(topology, width, width,
                                     best_roles(topology.residue_count(), width), 60);
  }
}

TEST(ResidentBlock, SeveralGroupsMatchEngines) {
  const auto topology = test::hairpin();
  expect_engines_bits<Contact1210>(topology, 12, 4, best_roles(topology.residue_count(), 4), 40);
}

/// Covers shared roles, and separate threads for terms, pairs and moves.
TEST(ResidentBlock, RolesChangeNoBit) {
  const auto topology = test::hairpin();
  const int residues = topology.residue_count();
  for (const int rows : {1, 2, 3, 4}) {
    expect_engines_bits<Contact1210>(topology, 8, 8, uniform_roles(residues, 8, rows), 40);
  }
  for (const int rows : {1, 2}) {
    for (const int pair_slots : {1, 7, 40}) {
      expect_engines_bits<Contact1210>(topology, 4, 4,
                                       specialised_roles(residues, 4, rows, pair_slots), 40);
    }
  }
}

TEST(ResidentBlock, GaussianContactsMatchEngines) {
  const auto topology = test::hairpin(system::ContactPotential::gaussian);
  for (const int width : {1, 8}) {
    expect_engines_bits<ContactGaussian>(topology, width, width,
                                         best_roles(topology.residue_count(), width), 60);
  }
}

TEST(ResidentBlock, UmbrellasAndMassesMatchEngines) {
  auto topology = test::hairpin();
  for (std::size_t i = 0; i < topology.residues.size(); i += 3) {
    topology.residues.items()[i].mass_amu = 130;
  }
  for (const int width : {1, 4}) {
    expect_engines_bits<Contact1210>(topology, width, width,
                                     best_roles(topology.residue_count(), width), 60,
                                     {.umbrella = bias::distance_between(1, 15)});
  }
}

/// Largest component of a force on the first replica [kJ/mol/nm].
double largest_force(const topology::Topology& topology, const Case& shaken) {
  auto engine = test::engine_alone(topology, settings_of_go(),
                                   some_replicas(topology, 1, shaken).front().state);
  double largest = 0;
  for (const auto& force : engine.owned_forces()) {
    for (const double f : force) largest = std::max(largest, std::abs(f));
  }
  return largest;
}

/// Bonds, angles, contacts and pairs whose forces one addition cannot round.
TEST(ResidentBlock, LargeForcesMatchEngines) {
  const auto topology = test::hairpin();
  const Case shaken{.shake_nm = 0.05};
  EXPECT_GT(largest_force(topology, shaken), Mixed::product_limit * Mixed::force_quantum);
  for (const int width : {1, 8}) {
    expect_engines_bits<Contact1210>(topology, width, width,
                                     best_roles(topology.residue_count(), width), 3, shaken);
  }
}

/// Two chains with contacts between them.
topology::Topology two_chains() {
  return test::ubiquitin(1, system::ContactPotential::lennard_jones_12_10, {"A:1-12", "A:60-71"});
}

TEST(ResidentBlock, FloatsReachSixteenNanometres) {
  const auto topology = two_chains();
  for (const int width : {1, 8}) {
    expect_engines_bits<Contact1210>(
        topology, width, width, best_roles(topology.residue_count(), width), 30, {.apart_nm = 25});
  }
}

TEST(ResidentBlock, FlagsResiduesTooFarForFloats) {
  const auto topology = two_chains();
  for (const int width : {1, 8}) {
    const Case far{.apart_nm = 40};
    const auto launch = advanced<Contact1210>(topology, some_replicas(topology, width, far), width,
                                              best_roles(topology.residue_count(), width), 2, far);
    for (const int flags : launch.unsure) {
      EXPECT_NE(flags & kernels::ResidentUnsure::too_far, 0) << width;
    }
  }
}

TEST(ResidentBlock, CountsReachAnyDistance) {
  const auto topology = two_chains();
  const int residues = topology.residue_count();
  for (const double apart_nm : {0, 900}) {
    const Case far{.umbrella = bias::distance_between(1, 8),
                   .position_format = ResidentPositionFormat::counts,
                   .apart_nm = apart_nm};
    for (const int width : {1, 8, 32}) {
      expect_engines_bits<Contact1210>(topology, width, width, best_roles(residues, width), 30,
                                       far);
    }
    for (const int rows : {1, 3, 4}) {
      expect_engines_bits<Contact1210>(topology, 8, 8, uniform_roles(residues, 8, rows), 30, far);
    }
    for (const int rows : {1, 2}) {
      expect_engines_bits<Contact1210>(topology, 4, 4, specialised_roles(residues, 4, rows, 7), 30,
                                       far);
    }
  }
}

TEST(ResidentBlock, LargerChainsMatchEngines) {
  const auto topology = test::ubiquitin();
  expect_engines_bits<Contact1210>(topology, 1, 1, best_roles(topology.residue_count(), 1), 120);
}

constexpr auto ashbaugh_hatch = topology::ShortRangeForm::ashbaugh_hatch;
constexpr auto wang_frenkel = topology::ShortRangeForm::wang_frenkel;

TEST(ResidentBlock, StickyChainsMatchEngines) {
  const auto of_ashbaugh_hatch = test::free_chains(ashbaugh_hatch, 19, 2);
  const auto of_wang_frenkel = test::free_chains(wang_frenkel, 19, 2);
  const int residues = of_ashbaugh_hatch.residue_count();
  for (const int width : {1, 2, 4, 8, 16, 32}) {
    const auto roles = best_sticky_roles(residues, width);
    expect_engines_bits<AshbaughHatchChains>(of_ashbaugh_hatch, width, width, roles, 40);
    expect_engines_bits<WangFrenkelChains>(of_wang_frenkel, width, width, roles, 40);
  }
}

TEST(ResidentBlock, StickyRolesChangeNoBit) {
  const auto topology = test::free_chains(ashbaugh_hatch, 45, 1);
  for (const int rows : {1, 2, 3, 4}) {
    for (const int pair_slots : {1, 60, 90}) {
      expect_engines_bits<AshbaughHatchChains>(
          topology, 4, 4, sticky_uniform_roles(topology.residue_count(), 4, rows, pair_slots), 30);
    }
  }
}

TEST(ResidentBlock, DistantStickyChainsMatchEngines) {
  const auto topology = test::free_chains(ashbaugh_hatch, 20, 2);
  const auto roles = best_sticky_roles(topology.residue_count(), 4);
  for (const double apart_nm : {0, 900}) {
    const Case far{.umbrella = bias::distance_between(1, 8),
                   .position_format = ResidentPositionFormat::counts,
                   .apart_nm = apart_nm,
                   .skin_nm = 0.2};
    expect_engines_bits<AshbaughHatchChains>(topology, 4, 4, roles, 30, far);
  }
}

/// Bonds, pairs and charges whose forces one addition cannot round.
TEST(ResidentBlock, LargeForcesOfStickyChainsMatchEngines) {
  auto topology = test::free_chains(ashbaugh_hatch, 19, 2);
  for (auto& residue : topology.residues.items()) residue.charge_e *= 12;
  const Case shaken{.shake_nm = 0.08};
  EXPECT_GT(largest_force(topology, shaken), Mixed::product_limit * Mixed::force_quantum);
  for (const int width : {1, 8}) {
    expect_engines_bits<AshbaughHatchChains>(
        topology, width, width, best_sticky_roles(topology.residue_count(), width), 3, shaken);
  }
}

TEST(ResidentBlock, NeutralStickyChainsMatchEngines) {
  auto topology = test::free_chains(ashbaugh_hatch, 19, 2);
  for (auto& residue : topology.residues.items()) residue.charge_e = 0;
  expect_engines_bits<AshbaughHatchChains>(topology, 4, 4,
                                           best_sticky_roles(topology.residue_count(), 4), 30);
}

}  // namespace
}  // namespace nfold::replicas
