// The work is shared out anew while a run goes on: when it is due, where it pays, without a bit.
// SPDX-License-Identifier: BSD-3-Clause
#include "run/repartition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "comm/communicator.hpp"
#include "start/initial_state.hpp"
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
    settings.partition.balance.by = config::BalanceBy::work;
    settings.partition.balance.patience = 1;
    engine_settings.time_step_ps = 0.01;
    engine_settings.temperature_kelvin = 300;
    engine_settings.friction_per_ps = 0.2;
    start::draw_velocities(topology, 300, 1, 0, start);
  }
  /// All on rank 0, the worst there is.
  dynamics::Engine engine() const {
    return {world, topology, engine_settings, start, std::vector<int>(topology.residues.size(), 0)};
  }
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = test::condensate({});
  dynamics::EngineSettings engine_settings;
  system::State start = start::native_start(topology);
  config::Settings settings;
};

TEST_F(Repartitions, TakesAMapThatPaysWhenItIsDue) {
  auto moved = engine(), kept = engine();
  Repartition repartition(world, settings, topology);
  EXPECT_EQ(repartition.serve(moved).told, "");  // it begins
  moved.advance(10);
  EXPECT_FALSE(repartition.serve(moved).assessment);  // not due
  moved.advance(10);
  const std::string told = repartition.serve(moved).told;
  if (world.size() == 1) {
    EXPECT_EQ(told, "");
  } else {
    EXPECT_THAT(told, HasSubstr("step 20: shared out anew"));
    EXPECT_LT(moved.owned_state().id.size(), topology.residues.size());
  }
  moved.advance(20);
  EXPECT_EQ(repartition.serve(moved).told, "");

  kept.advance(40);
  const auto a = moved.shared_state(), b = kept.shared_state();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(moved.energies().potential(), kept.energies().potential());
}

/// As of a large system: a map of pieces of chains is as good, and changes no bit.
TEST_F(Repartitions, TakesAMapOfUnitsThatIsAsEven) {
  if (world.size() == 1) GTEST_SKIP() << "one rank shares with nobody";
  for (const auto method :
       {config::PartitionMethod::recursive_bisection, config::PartitionMethod::hilbert_curve,
        config::PartitionMethod::residue_ranges}) {
    settings.partition.method = method;
    auto by_units = engine(), by_residues = engine();
    Repartition of_units(world, settings, topology, {}, nullptr, topology.residue_count() / 3 + 1);
    Repartition of_residues(world, settings, topology);
    for (auto* const one : {&of_units, &of_residues}) {
      auto& running = one == &of_units ? by_units : by_residues;
      EXPECT_EQ(one->serve(running).told, "");
      running.advance(20);
      EXPECT_THAT(one->serve(running).told, HasSubstr("step 20: shared out anew"));
      running.advance(20);
    }
    const domain::ResidueUnits units(topology, 3);
    const auto& owner = *by_units.owner();
    EXPECT_EQ(owner, units.of_residues(units.of_units(owner)));
    if (method == config::PartitionMethod::recursive_bisection) {
      EXPECT_NE(owner, *by_residues.owner());
    }
    const auto entries = [&](const dynamics::Engine& one) {
      const auto mine = one.statistics().pair_entries;
      return static_cast<double>(world.max(mine)) / static_cast<double>(world.sum(mine));
    };
    EXPECT_NEAR(entries(by_units), entries(by_residues), 0.05);
    const auto a = by_units.shared_state(), b = by_residues.shared_state();
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
  }
}

/// As after steps that were computed again by other ranks: rows are those of the map that it meets.
TEST_F(Repartitions, KnowsTheRowsOfUnitsOfAMapThatCameBetween) {
  if (world.size() == 1) GTEST_SKIP() << "one rank shares with nobody";
  std::vector<int> uneven(topology.residues.size(), 0);
  std::fill(uneven.begin() + static_cast<std::ptrdiff_t>(3 * uneven.size() / 4), uneven.end(),
            world.size() - 1);
  settings.partition.method = config::PartitionMethod::recursive_bisection;
  const auto scattered = domain::random_owners(topology.residue_count(), world.size(), 1);
  const auto owner_after = [&](bool comes_between) {
    auto running = engine();
    Repartition of_units(world, settings, topology, {}, nullptr, topology.residue_count() / 3 + 1);
    running.set_owner(comes_between ? scattered : uneven);
    (void)of_units.serve(running);
    if (comes_between) running.set_owner(uneven);
    running.advance(20);
    EXPECT_THAT(of_units.serve(running).told, HasSubstr("step 20: shared out anew"));
    return *running.owner();
  };
  EXPECT_EQ(owner_after(true), owner_after(false));
}

/// Blocks of steps are as long as the schedule makes them where nobody waits for anything.
TEST_F(Repartitions, SaysWhenItLooksNext) {
  constexpr auto never = std::numeric_limits<std::int64_t>::max();
  auto running = engine();
  Repartition repartition(world, settings, topology);
  if (world.size() == 1) {
    EXPECT_EQ(repartition.next_look(0), never);
    return;
  }
  EXPECT_EQ(repartition.next_look(0), 20) << "it begins";
  (void)repartition.serve(running);
  EXPECT_EQ(repartition.next_look(0), 20);
  EXPECT_EQ(repartition.next_look(5), 20);
  running.advance(25);
  (void)repartition.serve(running);
  EXPECT_EQ(repartition.next_look(25), 45) << "after a move it begins again";
  settings.partition.rebalance_every_steps = 0;
  EXPECT_EQ(Repartition(world, settings, topology).next_look(0), never);
}

/// Rank 0 has all the work, the others wait for it. A rank that other programs keep from running is
/// busy, too: it must not be so each time.
TEST_F(Repartitions, KnowsWhoIsBusyAndWhoWaits) {
  constexpr int attempts = 20;
  auto running = engine();
  dynamics::BusyTime before;
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

/// Ranks whose residues have mixed have even shares, but ghosts all over.
TEST_F(Repartitions, FollowsResiduesThatMix) {
  if (world.size() == 1) GTEST_SKIP() << "one rank shares with nobody";
  const auto chains = test::long_box();
  auto first = start::native_start(chains);
  start::draw_velocities(chains, 300, 1, 0, first);
  const auto all_on_one = std::vector<int>(chains.residues.size(), 0);
  dynamics::Engine running(world, chains, engine_settings, first, all_on_one);
  Repartition repartition(world, settings, chains);
  (void)repartition.serve(running);
  running.advance(20);
  EXPECT_THAT(repartition.serve(running).told, HasSubstr("shared out anew"));
  for (int k = 0; k < 3; ++k) {
    running.advance(20);
    EXPECT_EQ(repartition.serve(running).told, "");
  }
  const auto few = world.sum(running.statistics().ghosts);
  running.set_owner(domain::random_owners(chains.residue_count(), world.size(), 1));
  running.advance(20);
  ASSERT_GT(world.sum(running.statistics().ghosts), few * 5 / 4);
  EXPECT_THAT(repartition.serve(running).told, HasSubstr("shared out anew"));
  running.advance(20);
  EXPECT_LE(world.sum(running.statistics().ghosts), few * 5 / 4);
}

TEST_F(Repartitions, IsIdleForRandomMapsAndWhereNobodyAsks) {
  const auto partition = settings.partition;
  for (const bool never : {false, true}) {
    settings.partition = partition;
    if (never) {
      settings.partition.rebalance_every_steps = 0;
    } else {
      settings.partition.method = config::PartitionMethod::random;
    }
    auto running = engine();
    Repartition repartition(world, settings, topology);
    for (int k = 0; k < 3; ++k) {
      EXPECT_FALSE(repartition.serve(running).assessment);
      running.advance(20);
    }
  }
}

}  // namespace
}  // namespace nfold::run
