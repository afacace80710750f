// Load balancing with a simulated clock: slow ranks get less work, and no bit changes.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "session/run/repartition.hpp"
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
  Balance() { apply_slowness(); }
  void apply_slowness() const {
    test::pose_slowness(slowness.at(static_cast<std::size_t>(world.rank())));
  }
  double balance(const engine::Engine& running) const {
    return test::posed_balance(world, running);
  }
  /// Runs `steps` steps and returns the number of repartitions.
  int run(engine::Engine& running, int steps) {
    Repartition repartition(world, settings, topology);
    int moves = 0;
    for (; steps > 0; steps -= 20) {
      const auto result = repartition.run_if_due(running);
      log_line += result.log_line + "\n";
      moves += result.assessment && result.assessment->has_moved ? 1 : 0;
      running.advance(20);
    }
    return moves;
  }
  std::string log_line;
};

TEST_F(Balance, GivesSlowRanksLessWork) {
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  for (const auto method :
       {input::PartitionMethod::recursive_bisection, input::PartitionMethod::hilbert_curve,
        input::PartitionMethod::residue_ranges}) {
    apply_slowness();
    settings.partition.method = method;
    log_line.clear();
    auto running = engine();
    running.advance(1);
    EXPECT_LT(balance(running), 0.7);
    const int moves = run(running, 400);
    EXPECT_GT(balance(running), 0.95) << log_line;
    EXPECT_GE(moves, 1) << log_line;
    EXPECT_LE(moves, 6) << log_line;
    EXPECT_THAT(log_line, HasSubstr("shared out anew, balance 0."));
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

/// A thread computes the partition of a large system while steps continue.
TEST_F(Balance, PartitionsLargeSystemsInBackground) {
  test::CondensateOptions options;
  options.box = {{5.2, 4.8, 112.2}};
  options.layers = 102;
  const auto large = test::condensate(options);
  EXPECT_GT(large.residue_count(), 5'000);
  auto first = start::native_start(large);
  start::draw_velocities(large, 300, 1, 0, first);
  const auto owner = test::equal_counts(large.residues.size(), world.size());
  const auto make_engine = [&] {
    return engine::Engine(world, large, engine_settings, first, owner);
  };
  settings.partition.balance.patience = 1;
  auto moved = make_engine(), kept = make_engine();
  {
    Repartition repartition(world, settings, large);
    (void)repartition.run_if_due(moved);  // starts the first interval
    moved.advance(20);
    EXPECT_EQ(repartition.run_if_due(moved).log_line, "") << "it has only been asked for";
    Repartition::Result result;
    const int call_limit = world.size() > 1 ? 400 : 20;  // alone, no result comes
    for (int k = 0; k < call_limit && result.log_line.empty(); ++k) {
      moved.advance(10);
      result = repartition.run_if_due(moved);
    }
    if (world.size() > 1) {
      EXPECT_THAT(result.log_line, HasSubstr("shared out anew"));
      EXPECT_TRUE(result.assessment);
      if (result.assessment) {
        EXPECT_TRUE(result.assessment->has_moved);
        EXPECT_EQ(result.assessment->step, 20) << "step of the loads that it is based on";
      }
      EXPECT_THAT(result.log_line,
                  ContainsRegex("the move took [0-9.e-]+ s, prepared [0-9]+ steps, "
                                "[0-9.e-]+ s of it to decide"));
      EXPECT_NE(*moved.owner(), owner);
    }
    moved.advance(20);
    (void)repartition.run_if_due(moved);  // starts a new interval
    moved.advance(20);
    (void)repartition.run_if_due(moved);  // may request another partition, which stays pending
  }
  kept.advance(moved.step());
  const auto a = moved.shared_state(), b = kept.shared_state();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
}

TEST_F(Balance, SkipsRepartitionsThatDoNotPay) {
  settings.dynamics.steps = 0;  // no steps are left
  auto running = engine();
  EXPECT_EQ(run(running, 200), 0) << log_line;
}

TEST_F(Balance, IgnoresClocksIfBalancedByWork) {
  settings.partition.balance.by = input::BalanceBy::work;
  auto running = engine();
  EXPECT_EQ(run(running, 200), 0) << log_line;  // work is the same on ranks of any speed
}

}  // namespace
}  // namespace nfold::run
