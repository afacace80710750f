// A rank whose memory is nearly full gets fewer residues, though all are as busy; posed room.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "comm/communicator.hpp"
#include "run/memory_room.hpp"
#include "run/repartition.hpp"
#include "start/initial_state.hpp"
#include "support/condensates.hpp"
#include "support/kokkos_scope.hpp"

namespace nfold::run {
namespace {

/// Of this rank.
std::int64_t& posed_room() {
  static std::int64_t room = std::numeric_limits<std::int64_t>::max();
  return room;
}

}  // namespace

/// In place of src/run/memory_room.cpp.
std::int64_t most_residues(const dynamics::EngineStatistics& /*statistics*/,
                           device::DevicesOfJob* /*devices*/) {
  return posed_room();
}

namespace {

using testing::HasSubstr;

const auto* const scope = test::start_kokkos();

class MemoryPressure : public testing::Test {
 protected:
  static topology::Topology long_box() {
    test::CondensateOptions options;
    options.box = {{5.2, 4.8, 46.2}};
    options.layers = 42;
    return test::condensate(options);
  }
  /// Told within some assessments of an even load.
  std::string told_of(dynamics::Engine& engine) {
    Repartition repartition(world, settings, topology);
    std::string told;
    for (int k = 0; k < 5; ++k) {
      told += repartition.serve(engine).told;
      engine.advance(20);
    }
    return told;
  }
  dynamics::Engine engine() {
    settings.dynamics.steps = 1'000'000;
    settings.partition.rebalance_every_steps = 20;
    settings.partition.balance.by = config::BalanceBy::work;
    engine_settings.time_step_ps = 0.01;
    engine_settings.temperature_kelvin = 300;
    engine_settings.friction_per_ps = 0.2;
    start::draw_velocities(topology, 300, 1, 0, start);
    std::vector<int> owner;
    const auto residues = topology.residues.size();
    for (std::size_t id = 0; id < residues; ++id) {
      owner.push_back(static_cast<int>(id * static_cast<std::size_t>(world.size()) / residues));
    }
    return {world, topology, engine_settings, start, owner};
  }
  const comm::Communicator world = comm::Communicator::world();
  const topology::Topology topology = long_box();
  dynamics::EngineSettings engine_settings;
  system::State start = start::native_start(topology);
  config::Settings settings;
};

TEST_F(MemoryPressure, MovesResiduesAwayFromAFullRank) {
  auto crowded = engine();
  const auto had = crowded.statistics().owned;
  posed_room() = world.rank() == 0 ? had * 8 / 10 : std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(told_of(crowded), HasSubstr("shared out anew"));
  EXPECT_THAT(told_of(crowded), testing::Not(HasSubstr("shared out anew"))) << "it is done";
  if (world.is_root()) {
    EXPECT_LE(crowded.statistics().owned, had * 8 / 10);
  }
}

TEST_F(MemoryPressure, LeavesResiduesWhereAllHaveRoomOrNobodyHas) {
  for (const bool all_are_full : {false, true}) {
    auto even = engine();
    posed_room() = all_are_full ? even.statistics().owned - 1 : even.statistics().owned;
    EXPECT_EQ(told_of(even), "");
  }
}

TEST_F(MemoryPressure, TriesLessOftenWhereNoMapHelps) {
  auto crowded = engine();
  settings.partition.balance.patience = 1'000;
  posed_room() = world.rank() == 0 ? 1 : std::numeric_limits<std::int64_t>::max();
  Repartition repartition(world, settings, topology);
  int attempts = 0;
  for (int k = 0; k < 16; ++k) {
    attempts += repartition.serve(crowded).told.empty() ? 0 : 1;
    crowded.advance(20);
  }
  EXPECT_GE(attempts, 2);
  EXPECT_LE(attempts, 5);
}

TEST_F(MemoryPressure, NamesTheFullRank) {
  auto crowded = engine();
  const bool is_full = world.rank() == world.size() - 1;
  posed_room() = is_full ? crowded.statistics().owned / 2 : 1'000'000;
  EXPECT_THAT(told_of(crowded), HasSubstr("; rank " + std::to_string(world.size() - 1) +
                                          " has more residues than its memory has room for"));
}

}  // namespace
}  // namespace nfold::run
