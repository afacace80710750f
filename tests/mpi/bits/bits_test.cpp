// Engine results on any partition against those of one rank, bit for bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <future>

#include "comm/communicator.hpp"
#include "domain/partition.hpp"
#include "engine/engine.hpp"
#include "model/topology/flexible_angles.hpp"
#include "support/condensates.hpp"
#include "support/engines.hpp"
#include "support/kokkos_scope.hpp"
#include "support/systems.hpp"
#include "support/tabulated_condensates.hpp"

namespace nfold::engine {
namespace {

const auto* const scope = test::start_kokkos();

constexpr std::int64_t steps = 60;

struct Bits {
  system::State state;
  Energies energies;
};

EngineSettings make_settings(Precision precision, Integrator integrator) {
  EngineSettings s;
  s.precision = precision;
  s.integrator = integrator;
  s.time_step_ps = 0.01;
  s.temperature_kelvin = 108;
  s.friction_per_ps = 0.2;
  s.seed = 0x123456789abcdef;
  return s;
}

Bits run_on_one_rank(const topology::Topology& topology, const EngineSettings& settings,
                     const system::State& start) {
  Engine engine = test::engine_alone(topology, settings, start);
  engine.advance(steps);
  Bits bits;
  bits.energies = engine.energies();
  bits.state = engine.owned_state();
  return bits;
}

/// Collective. Every rank compares its own rows.
void expect_same(Engine& engine, const Bits& expected, const std::string& what) {
  const auto mine = engine.owned_state();
  const auto energies = engine.energies();
  EXPECT_EQ(mine.step, expected.state.step) << what;
  int wrong = 0;
  for (std::size_t row = 0; row < mine.id.size(); ++row) {
    const auto id = static_cast<std::size_t>(mine.id[row]);
    if (mine.position[row] != expected.state.position[id] ||
        mine.velocity[row] != expected.state.velocity[id]) {
      ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0) << what << ": rows that differ of " << mine.id.size();
  EXPECT_EQ(energies.bond, expected.energies.bond) << what;
  EXPECT_EQ(energies.angle, expected.energies.angle) << what;
  EXPECT_EQ(energies.dihedral, expected.energies.dihedral) << what;
  EXPECT_EQ(energies.contact, expected.energies.contact) << what;
  EXPECT_EQ(energies.restraint, expected.energies.restraint) << what;
  EXPECT_EQ(energies.electrostatic, expected.energies.electrostatic) << what;
  EXPECT_EQ(energies.short_range, expected.energies.short_range) << what;
  EXPECT_EQ(energies.kinetic, expected.energies.kinetic) << what;
  EXPECT_EQ(energies.temperature_kelvin, expected.energies.temperature_kelvin) << what;
}

struct Case {
  Precision precision;
  Integrator integrator;
  topology::Topology (*make)();
};
topology::Topology go() { return test::ubiquitin(2); }
topology::Topology tabulated_angles() {
  auto t = test::ubiquitin(2);
  topology::add_flexible_angles(t);
  return t;
}
topology::Topology aicg() { return test::aicg_ubiquitin(); }
topology::Topology biased() {
  auto t = test::ubiquitin(2);
  t.box.length_nm = {9, 0, 8};
  topology::add_bias(t,
                     {bias::distance_between(0, 100), bias::BiasForm::flat_bottom, 0.5, 200, 0.1});
  topology::add_bias(t, {{bias::VariableKind::radius_of_gyration, {2, 5, 9, 33, 34, 35, 70}},
                         bias::BiasForm::linear,
                         0,
                         -60});
  bias::ExternalField wall;
  wall.species = {0};
  wall.axes = {true, true, false};
  wall.origin_nm = {8.5, 1, 0};
  wall.inner_nm = wall.centre_nm = 1.5;
  wall.k_kj_mol_nm2 = 50;
  t.fields = {wall};
  return t;
}
topology::Topology go_boxed() {
  auto t = test::ubiquitin(8);
  t.box.length_nm = {6.4, 6.4, 6.4};
  return t;
}
topology::Topology ashbaugh_hatch() { return test::condensate({.domains_only_repel = true}); }
topology::Topology strands() { return test::strands(); }
topology::Topology wang_frenkel() {
  return test::condensate(
      {.form = topology::ShortRangeForm::wang_frenkel, .box = {{5.2, 4.8, 30}}, .layers = 5});
}
topology::Topology kim_hummer() {
  return test::condensate({.form = topology::ShortRangeForm::kim_hummer,
                           .domains_only_repel = true,
                           .box = {{5.2, 4.8, 30}},
                           .layers = 5});
}
topology::Topology tabulated_mixed() {
  return test::tabulated(test::condensate({}), test::TabulatedPairKind::mixed);
}
topology::Topology tabulated_pairs() {
  return test::tabulated(test::condensate({}), test::TabulatedPairKind::pairs,
                         test::TabulatedChargeKind::products);
}
topology::Topology tabulated_sites() {
  return test::tabulated(test::condensate({.box = {{5.2, 4.8, 30}}, .layers = 5}),
                         test::TabulatedPairKind::sites, test::TabulatedChargeKind::types);
}

topology::Topology charged_exclusions() {
  return test::with_charged_exclusions(test::condensate({.box = {{5.2, 4.8, 30}}, .layers = 5}));
}

class BitsContract : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    topology_ = GetParam().make();
    start_ = test::shaken_native(topology_, 0.02, 11);
    settings_ = make_settings(GetParam().precision, GetParam().integrator);
    settings_.devices = test::devices_of_test();
    expected_ = run_on_one_rank(topology_, settings_, start_);
  }
  [[nodiscard]] std::vector<int> ranges() const {
    return domain::residue_ranges(domain::counted_work(topology_), world_.size());
  }
  [[nodiscard]] std::vector<int> random(std::uint64_t seed) const {
    return domain::random_owners(topology_.residue_count(), world_.size(), seed);
  }

  comm::Communicator world_ = comm::Communicator::world();
  topology::Topology topology_;
  system::State start_;
  EngineSettings settings_;
  Bits expected_;
};

TEST_P(BitsContract, HoldsForResidueRanges) {
  Engine engine(world_, topology_, settings_, start_, ranges());
  engine.advance(steps);
  expect_same(engine, expected_, "ranges");
}

TEST_P(BitsContract, HoldsForRandomOwners) {
  for (const std::uint64_t seed : {1, 2}) {
    Engine engine(world_, topology_, settings_, start_, random(seed));
    engine.advance(steps);
    expect_same(engine, expected_, "random owners " + std::to_string(seed));
  }
}

TEST_P(BitsContract, HoldsForEmptyRanks) {
  // All residues on the last rank; then all but one residue on the first.
  std::vector<int> owner(topology_.residues.size(), world_.size() - 1);
  Engine last(world_, topology_, settings_, start_, owner);
  last.advance(steps);
  expect_same(last, expected_, "all on the last rank");
  owner.assign(owner.size(), 0);
  owner[40] = world_.size() - 1;
  Engine lonely(world_, topology_, settings_, start_, owner);
  lonely.advance(steps);
  expect_same(lonely, expected_, "one residue on the last rank");
}

TEST_P(BitsContract, HoldsForAnyRebuildIntervalAndSkin) {
  for (const int every : {1, 7}) {
    auto settings = settings_;
    settings.rebuild_every = every;
    Engine engine(world_, topology_, settings, start_, ranges());
    engine.advance(steps);
    expect_same(engine, expected_, "rebuild every " + std::to_string(every));
  }
  for (const double skin_nm : {0.05, 0.6}) {
    auto settings = settings_;
    settings.skin_nm = skin_nm;
    Engine engine(world_, topology_, settings, start_, random(4));
    engine.advance(steps);
    expect_same(engine, expected_, "skin " + std::to_string(skin_nm));
  }
}

TEST_P(BitsContract, HoldsWithoutGraphsAndWithHostTransport) {
  auto settings = settings_;
  settings.record_steps = false;
  Engine eager(world_, topology_, settings, start_, ranges());
  eager.advance(steps);
  expect_same(eager, expected_, "steps not recorded");
  settings.record_steps = true;
  settings.transport = comm::Transport::mpi;
  Engine staged(world_, topology_, settings, start_, ranges());
  staged.advance(steps);
  expect_same(staged, expected_, "through the host");
}

TEST_P(BitsContract, HoldsAcrossStopsAndRepartitions) {
  Engine engine(world_, topology_, settings_, start_, ranges());
  std::int64_t left = steps;
  std::uint64_t seed = 1;
  for (const std::int64_t part : {1, 2, 21, 3, 20}) {
    engine.advance(part);
    left -= part;
    (void)engine.energies();
    engine.set_owner(random(seed++));
  }
  engine.advance(left);
  expect_same(engine, expected_, "stops");
}

/// Prepared owners take effect although steps ran and another partition was set meanwhile.
TEST_P(BitsContract, HoldsForPreparedRepartitions) {
  Engine engine(world_, topology_, settings_, start_, ranges());
  engine.advance(3);
  for (const std::uint64_t seed : {21, 22, 23}) {
    auto prepared = std::async(std::launch::async, engine.repartition_preparation(random(seed)));
    engine.advance(8);
    if (seed == 22) engine.set_owner(random(40));
    engine.set_owner(prepared.get());
    EXPECT_EQ(*engine.owner(), random(seed));
    engine.advance(4);
  }
  engine.advance(steps - 39);
  expect_same(engine, expected_, "owners prepared beforehand");
}

TEST_P(BitsContract, HoldsWithArraysInHostMemory) {
  device::set_moved_uses(device::moving_order.size());
  Engine engine(world_, topology_, settings_, start_, random(3));
  engine.advance(steps / 2);
  (void)engine.snapshot_state();
  engine.set_owner(ranges());
  engine.advance(steps - steps / 2);
  device::set_moved_uses(0);
  expect_same(engine, expected_, "with arrays in host memory");
}

TEST_P(BitsContract, HoldsForMinimiserAndPressure) {
  Engine one = test::engine_alone(topology_, settings_, start_);
  const auto expected = one.minimise({40, 1});
  Engine many(world_, topology_, settings_, start_, random(9));
  const auto found = many.minimise({40, 1});
  EXPECT_EQ(found.steps, expected.steps);
  EXPECT_EQ(found.largest_force_kj_mol_nm, expected.largest_force_kj_mol_nm);
  EXPECT_EQ(many.pressure().virial, one.pressure().virial);
  EXPECT_EQ(many.pressure().kinetic, one.pressure().kinetic);
  expect_same(many, {one.owned_state(), one.energies()}, "minimised");
}

// Another replica index draws other noise, so no position may agree.
TEST_P(BitsContract, ComparisonDetectsAnotherReplica) {
  if (GetParam().integrator == Integrator::velocity_verlet) GTEST_SKIP() << "draws no noise";
  auto settings = settings_;
  settings.replica = 1;
  Engine engine(world_, topology_, settings, start_, ranges());
  engine.advance(steps);
  const auto mine = engine.owned_state();
  std::int64_t same = 0;
  for (std::size_t row = 0; row < mine.id.size(); ++row) {
    if (mine.position[row] == expected_.state.position[static_cast<std::size_t>(mine.id[row])])
      ++same;
  }
  EXPECT_EQ(world_.sum(same), 0);
}

constexpr auto baoab = Integrator::langevin_baoab;
INSTANTIATE_TEST_SUITE_P(
    Engines, BitsContract,
    testing::Values(
        Case{Precision::mixed, baoab, go}, Case{Precision::full, baoab, go},
        Case{Precision::mixed, Integrator::velocity_verlet, go},
        Case{Precision::mixed, baoab, go_boxed}, Case{Precision::mixed, baoab, tabulated_angles},
        Case{Precision::mixed, baoab, aicg}, Case{Precision::mixed, baoab, biased},
        Case{Precision::full, baoab, biased}, Case{Precision::mixed, baoab, ashbaugh_hatch},
        Case{Precision::full, baoab, ashbaugh_hatch}, Case{Precision::mixed, baoab, strands},
        Case{Precision::full, baoab, strands}, Case{Precision::mixed, baoab, wang_frenkel},
        Case{Precision::mixed, baoab, kim_hummer}, Case{Precision::mixed, baoab, tabulated_mixed},
        Case{Precision::mixed, baoab, tabulated_pairs},
        Case{Precision::full, baoab, tabulated_pairs},
        Case{Precision::mixed, baoab, tabulated_sites},
        Case{Precision::mixed, baoab, charged_exclusions}));

}  // namespace
}  // namespace nfold::engine
