// A rank whose memory is nearly full gets fewer residues, though all are as busy; posed room.
// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "run/memory_room.hpp"
#include "run/repartition.hpp"
#include "support/kokkos_scope.hpp"
#include "support/shared_box.hpp"

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

class MemoryPressure : public testing::Test, protected test::SharedBox {
 protected:
  MemoryPressure() { settings.partition.balance.by = config::BalanceBy::work; }
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
