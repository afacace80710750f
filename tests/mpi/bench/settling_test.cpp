// What is timed has residues shared out as a run would have them, by a posed clock, without a bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "bench/measure.hpp"
#include "support/kokkos_scope.hpp"
#include "support/posed_clock.hpp"
#include "support/shared_box.hpp"

namespace nfold::bench {
namespace {

const auto* const scope = test::start_kokkos();

constexpr std::int64_t steps = 400;

class Settling : public testing::Test, protected test::SharedBox {
 protected:
  Settling() {
    constexpr std::array<double, 4> slowness{1, 3, 1, 2};
    test::pose_slowness(slowness.at(static_cast<std::size_t>(world.rank())));
  }
  double balance_of_settled(dynamics::Engine& settled) const {
    settle(world, settled, settings, topology, steps);
    return test::posed_balance(world, settled);
  }
};

TEST_F(Settling, SharesResiduesOutAnew) {
  auto settled = engine(), kept = engine();
  EXPECT_GT(balance_of_settled(settled), 0.95);
  kept.advance(steps);
  EXPECT_EQ(settled.step(), kept.step());
  const auto a = settled.shared_state(), b = kept.shared_state();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
}

TEST_F(Settling, LeavesThemWhereRunsDo) {
  if (world.size() == 1) GTEST_SKIP() << "one rank shares with nobody";
  settings.partition.rebalance_every_steps = 0;
  auto settled = engine();
  EXPECT_LT(balance_of_settled(settled), 0.8);
}

}  // namespace
}  // namespace nfold::bench
