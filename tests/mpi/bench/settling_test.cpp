// Benchmark warm-up with a simulated clock: repartitions as a run does, without changing a bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cstdint>

#include "cli/bench/measure.hpp"
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
  double settle_and_measure_balance(engine::Engine& settled) const {
    settle(world, settled, settings, topology, steps);
    return test::posed_balance(world, settled);
  }
};

TEST_F(Settling, RepartitionsWithoutChangingBits) {
  auto settled = engine(), kept = engine();
  EXPECT_GT(settle_and_measure_balance(settled), 0.95);
  EXPECT_EQ(*settled.owner() != *kept.owner(), world.size() > 1) << "residues move";
  kept.advance(steps);
  EXPECT_EQ(settled.step(), kept.step());
  const auto a = settled.shared_state(), b = kept.shared_state();
  EXPECT_EQ(a.position, b.position);
  EXPECT_EQ(a.velocity, b.velocity);
}

TEST_F(Settling, KeepsPartitionIfRebalancingIsOff) {
  if (world.size() == 1) GTEST_SKIP() << "needs two ranks";
  settings.partition.rebalance_every_steps = 0;
  auto settled = engine();
  EXPECT_LT(settle_and_measure_balance(settled), 0.8);
}

}  // namespace
}  // namespace nfold::bench
