// Repartition during a run: only when due and if it pays, without changing a bit.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/run/repartition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "comm/communicator.hpp"
#include "model/start/initial_state.hpp"
#include "support/condensates.hpp"
#include "support/kokkos_scope.hpp"
#include "support/shared_box.hpp"

namespace nfold::run {
namespace {

using testing::HasSubstr;

const auto* const scope = test::start_kokkos();

class Repartitions : public testing::Test {
 protected:
  Repartitions() {
    settings.partition.rebalance_every_steps = 20;
    settings.partition.balance.by = input::BalanceBy::work;
    settings.partition.balance.patience = 1;
    engine_settings.time_step_ps = 0.01;
    engine_settings.temperature_kelvin = 300;
    engine_settings.friction_per_ps = 0.2;
    start::draw_velocities(topology, 300, 1, 0, start);
  }
  /// Engine with all residues on rank 0, the largest imbalance.
  engine::Engine engine() const {
    return {world, topology, engine_settings, start, std::vector<int>(topology.residues.size(), 0)};
  }
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = test::condensate({});
  engine::EngineSettings engine_settings;
  system::State start = start::native_start(topology);
  input::Settings settings;
};

TEST_F(Repartitions, AppliesPartitionThatPaysWhenDue) {
  auto moved = engine(), kept = engine();
  Repartition repartition(world, settings, topology);
  EXPECT_EQ(repartition.run_if_due(moved).log_line, "");  // starts the first interval
  moved.advance(10);
  EXPECT_FALSE(repartition.run_if_due(moved).assessment);  // not due
  moved.advance(10);
  const std::string log_line = repartition.run_if_due(moved).log_line;
  if (world.size() == 1) {
    EXPECT_EQ(log_line, "");
  } else {
    EXPECT_THAT(log_line, HasSubstr("step 20: shared out anew"));
    EXPECT_LT(moved.owned_state().id.size(), topology.residues.size());
  }
  moved.advance(20);
  EXPECT_EQ(repartition.run_if_due(moved).log_line, "");

  kept.advance(40);
  const auto a = moved.shared_state(), b = kept.shared_state();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(moved.energies().potential(), kept.energies().potential());
}

/// Units are pieces of chains, as in large systems. Their partition is as even and changes no bit.
TEST_F(Repartitions, PartitionOfUnitsIsAsEven) {
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  for (const auto method :
       {input::PartitionMethod::recursive_bisection, input::PartitionMethod::hilbert_curve,
        input::PartitionMethod::residue_ranges}) {
    settings.partition.method = method;
    auto by_units = engine(), by_residues = engine();
    Repartition unit_repartition(world, settings, topology, {}, nullptr,
                                 topology.residue_count() / 3 + 1);
    Repartition residue_repartition(world, settings, topology);
    for (auto* const one : {&unit_repartition, &residue_repartition}) {
      auto& running = one == &unit_repartition ? by_units : by_residues;
      EXPECT_EQ(one->run_if_due(running).log_line, "");
      running.advance(20);
      EXPECT_THAT(one->run_if_due(running).log_line, HasSubstr("step 20: shared out anew"));
      running.advance(20);
    }
    const domain::ResidueUnits units(topology, 3);
    const auto& owner = *by_units.owner();
    EXPECT_EQ(owner, units.of_residues(units.of_units(owner)));
    if (method == input::PartitionMethod::recursive_bisection) {
      EXPECT_NE(owner, *by_residues.owner());
    }
    const auto entries = [&](const engine::Engine& one) {
      const auto mine = one.statistics().pair_entries;
      return static_cast<double>(world.max(mine)) / static_cast<double>(world.sum(mine));
    };
    EXPECT_NEAR(entries(by_units), entries(by_residues), 0.05);
    const auto a = by_units.shared_state(), b = by_residues.shared_state();
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
  }
}

/// Another partition in between, as after recomputed steps, must not leave stale rows of units.
TEST_F(Repartitions, UnitRowsFollowAnInterveningPartition) {
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  std::vector<int> uneven(topology.residues.size(), 0);
  std::fill(uneven.begin() + static_cast<std::ptrdiff_t>(3 * uneven.size() / 4), uneven.end(),
            world.size() - 1);
  settings.partition.method = input::PartitionMethod::recursive_bisection;
  const auto scattered = domain::random_owners(topology.residue_count(), world.size(), 1);
  const auto owner_after = [&](bool comes_between) {
    auto running = engine();
    Repartition unit_repartition(world, settings, topology, {}, nullptr,
                                 topology.residue_count() / 3 + 1);
    running.set_owner(comes_between ? scattered : uneven);
    (void)unit_repartition.run_if_due(running);
    if (comes_between) running.set_owner(uneven);
    running.advance(20);
    EXPECT_THAT(unit_repartition.run_if_due(running).log_line,
                HasSubstr("step 20: shared out anew"));
    return *running.owner();
  };
  EXPECT_EQ(owner_after(true), owner_after(false));
}

/// Blocks of steps end at the next check, so a check must not be due earlier than needed.
TEST_F(Repartitions, ReportsTheNextCheck) {
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  auto running = engine();
  Repartition repartition(world, settings, topology);
  if (world.size() == 1) {
    EXPECT_EQ(repartition.next_check(0), never);
    return;
  }
  EXPECT_EQ(repartition.next_check(0), 20) << "it begins";
  (void)repartition.run_if_due(running);
  EXPECT_EQ(repartition.next_check(0), 20);
  EXPECT_EQ(repartition.next_check(5), 20);
  running.advance(25);
  (void)repartition.run_if_due(running);
  EXPECT_EQ(repartition.next_check(25), 45) << "after a move it begins again";
  settings.partition.rebalance_every_steps = 0;
  EXPECT_EQ(Repartition(world, settings, topology).next_check(0), never);
}

/// Rank 0 has all the work and the others wait. A rank that other programs preempt counts as busy,
/// too, so one of several attempts must succeed.
TEST_F(Repartitions, BusyTimeExcludesWaiting) {
  constexpr int attempts = 200;  // the first success ends the loop
  auto running = engine();
  engine::BusyTime before;
  bool others_wait = false;
  for (int k = 1; k <= attempts && !others_wait; ++k) {
    running.advance(30);
    const auto time = running.statistics().time;
    EXPECT_EQ(time.steps, 30 * k);
    EXPECT_EQ(time.timed_steps, 30 * k);
    const double mine = time.busy_seconds - before.busy_seconds;
    EXPECT_GT(mine, 0);
    EXPECT_LE(time.busy_seconds, time.seconds);
    before = time;
    const auto busy = world.all_gather(std::span<const double>(&mine, 1));
    others_wait = std::all_of(busy.begin() + 1, busy.end(),
                              [&busy](double seconds) { return seconds < busy[0]; });
  }
  EXPECT_TRUE(others_wait);
}

/// Mixing of residues keeps the shares even but multiplies the ghosts.
TEST_F(Repartitions, RepartitionsMixedResidues) {
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  const auto chains = test::long_box();
  auto first = start::native_start(chains);
  start::draw_velocities(chains, 300, 1, 0, first);
  const auto all_on_one = std::vector<int>(chains.residues.size(), 0);
  engine::Engine running(world, chains, engine_settings, first, all_on_one);
  Repartition repartition(world, settings, chains);
  (void)repartition.run_if_due(running);
  running.advance(20);
  EXPECT_THAT(repartition.run_if_due(running).log_line, HasSubstr("shared out anew"));
  for (int k = 0; k < 3; ++k) {
    running.advance(20);
    EXPECT_EQ(repartition.run_if_due(running).log_line, "");
  }
  const auto few = world.sum(running.statistics().ghosts);
  running.set_owner(domain::random_owners(chains.residue_count(), world.size(), 1));
  running.advance(20);
  EXPECT_GT(world.sum(running.statistics().ghosts), few * 5 / 4);
  EXPECT_THAT(repartition.run_if_due(running).log_line, HasSubstr("shared out anew"));
  running.advance(20);
  EXPECT_LE(world.sum(running.statistics().ghosts), few * 5 / 4);
}

TEST_F(Repartitions, IsIdleForRandomPartitionsOrIfOff) {
  const auto partition = settings.partition;
  for (const bool never : {false, true}) {
    settings.partition = partition;
    if (never) {
      settings.partition.rebalance_every_steps = 0;
    } else {
      settings.partition.method = input::PartitionMethod::random;
    }
    auto running = engine();
    Repartition repartition(world, settings, topology);
    for (int k = 0; k < 3; ++k) {
      EXPECT_FALSE(repartition.run_if_due(running).assessment);
      running.advance(20);
    }
  }
}

}  // namespace
}  // namespace nfold::run
