// What is timed has residues shared out as a run would have them, by a posed clock, without a bit.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "bench/measure.hpp"
#include "comm/communicator.hpp"
#include "start/initial_state.hpp"
#include "support/condensates.hpp"
#include "support/kokkos_scope.hpp"
#include "support/posed_clock.hpp"

namespace nfold::bench {
namespace {

const auto* const scope = test::start_kokkos();

constexpr std::int64_t steps = 400;

class Settling : public testing::Test {
 protected:
  Settling() {
    constexpr std::array<double, 4> slowness{1, 3, 1, 2};
    test::pose_slowness(slowness.at(static_cast<std::size_t>(world.rank())));
    settings.partition.rebalance_every_steps = 20;
    engine_settings.time_step_ps = 0.01;
    engine_settings.temperature_kelvin = 300;
    engine_settings.friction_per_ps = 0.2;
    engine_settings.skin_nm = 0.3;  // settled
    start::draw_velocities(topology, 300, 1, 0, start);
  }
  static topology::Topology long_box() {
    test::CondensateOptions options;
    options.box = {{5.2, 4.8, 46.2}};
    options.layers = 42;
    return test::condensate(options);
  }
  /// The same number of residues to each rank.
  dynamics::Engine engine() const {
    std::vector<int> owner;
    const auto residues = topology.residues.size();
    for (std::size_t id = 0; id < residues; ++id) {
      owner.push_back(static_cast<int>(id * static_cast<std::size_t>(world.size()) / residues));
    }
    return {world, topology, engine_settings, start, owner};
  }
  /// Mean over most, of all ranks' posed seconds.
  double balance_of_settled(dynamics::Engine& settled) const {
    settle(world, settled, settings, topology, steps);
    const double mine = test::posed_seconds_of_a_step(settled);
    const auto all = world.all_gather(std::span<const double>(&mine, 1));
    return std::accumulate(all.begin(), all.end(), 0.0) / world.size() / std::ranges::max(all);
  }
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = long_box();
  dynamics::EngineSettings engine_settings;
  system::State start = start::native_start(topology);
  config::Settings settings;
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
