// Slow ranks end with less work, by a posed clock: for every partitioner, without a bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "run/repartition.hpp"
#include "support/kokkos_scope.hpp"
#include "support/posed_clock.hpp"
#include "support/shared_box.hpp"

namespace nfold::run {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

const auto* const scope = test::start_kokkos();

constexpr std::array<double, 8> slowness{1, 3, 1, 1, 2, 1, 1, 1};

class Balance : public testing::Test, protected test::SharedBox {
 protected:
  Balance() { pose(); }
  void pose() const { test::pose_slowness(slowness.at(static_cast<std::size_t>(world.rank()))); }
  double balance(const dynamics::Engine& running) const {
    return test::posed_balance(world, running);
  }
  /// How often residues moved within so many steps.
  int run(dynamics::Engine& running, int steps) {
    Repartition repartition(world, settings, topology);
    int moves = 0;
    for (; steps > 0; steps -= 20) {
      const auto served = repartition.serve(running);
      told += served.told + "\n";
      moves += served.assessment && served.assessment->has_moved ? 1 : 0;
      running.advance(20);
    }
    return moves;
  }
  std::string told;
};

TEST_F(Balance, GivesSlowRanksLessByEveryPartitioner) {
  if (world.size() == 1) GTEST_SKIP() << "one rank shares with nobody";
  for (const auto method :
       {config::PartitionMethod::recursive_bisection, config::PartitionMethod::hilbert_curve,
        config::PartitionMethod::residue_ranges}) {
    pose();
    settings.partition.method = method;
    told.clear();
    auto running = engine();
    running.advance(1);
    EXPECT_LT(balance(running), 0.7);
    const int moves = run(running, 400);
    EXPECT_GT(balance(running), 0.95) << told;
    EXPECT_GE(moves, 1) << told;
    EXPECT_LE(moves, 6) << told;
    EXPECT_THAT(told, HasSubstr("shared out anew, balance 0."));
  }
}

TEST_F(Balance, ChangesNoBit) {
  auto moved = engine(), kept = engine();
  EXPECT_EQ(run(moved, 200) > 0, world.size() > 1);
  kept.advance(200);
  const auto a = moved.shared_state(), b = kept.shared_state();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
}

/// A large system's map is sought by a thread, while steps go on.
TEST_F(Balance, SeeksTheMapOfALargeSystemBesideTheSteps) {
  test::CondensateOptions options;
  options.box = {{5.2, 4.8, 112.2}};
  options.layers = 102;
  const auto large = test::condensate(options);
  ASSERT_GT(large.residue_count(), 5'000);
  auto first = start::native_start(large);
  start::draw_velocities(large, 300, 1, 0, first);
  const auto owner = test::equal_counts(large.residues.size(), world.size());
  const auto made = [&] { return dynamics::Engine(world, large, engine_settings, first, owner); };
  settings.partition.balance.patience = 1;
  auto moved = made(), kept = made();
  {
    Repartition repartition(world, settings, large);
    (void)repartition.serve(moved);  // it begins
    moved.advance(20);
    EXPECT_EQ(repartition.serve(moved).told, "") << "it has only been asked for";
    Repartition::Served served;
    for (int k = 0; k < 20 && served.told.empty(); ++k) {
      moved.advance(10);
      served = repartition.serve(moved);
    }
    if (world.size() > 1) {
      EXPECT_THAT(served.told, HasSubstr("shared out anew"));
      ASSERT_TRUE(served.assessment);
      EXPECT_TRUE(served.assessment->has_moved);
      EXPECT_EQ(served.assessment->step, 20) << "that of the loads upon which it was asked for";
      EXPECT_THAT(served.told, ContainsRegex("the move took [0-9.e-]+ s, prepared [0-9]+ steps, "
                                             "[0-9.e-]+ s of it to decide"));
      EXPECT_NE(*moved.owner(), owner);
    }
    moved.advance(20);
    (void)repartition.serve(moved);  // begins anew
    moved.advance(20);
    (void)repartition.serve(moved);  // may be asked for again, and is left so
  }
  kept.advance(moved.step());
  const auto a = moved.shared_state(), b = kept.shared_state();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
}

TEST_F(Balance, MovesNothingWhereItWouldNotPay) {
  settings.dynamics.steps = 0;  // none is left
  auto running = engine();
  EXPECT_EQ(run(running, 200), 0) << told;
}

TEST_F(Balance, AsksNoClockByWork) {
  settings.partition.balance.by = config::BalanceBy::work;
  auto running = engine();
  EXPECT_EQ(run(running, 200), 0) << told;  // the same work on ranks of any speed
}

}  // namespace
}  // namespace nfold::run
