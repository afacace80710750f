// Decision between blocks: rank 0's clocks decide, and all ranks are ready if each one is.
// SPDX-License-Identifier: BSD-3-Clause
#include "session/common/block_decision.hpp"

#include <gtest/gtest.h>

namespace nfold::common {
namespace {

TEST(BlockDecision, AllAreReadyIfEachIs) {
  const auto world = comm::Communicator::world();
  const auto all_are_ready = [&](bool is_ready) {
    return agree_on_decision(world, {}, "", is_ready).all_are_ready;
  };
  EXPECT_TRUE(all_are_ready(true));
  EXPECT_FALSE(all_are_ready(false));
  for (int late = 0; late < world.size(); ++late) EXPECT_FALSE(all_are_ready(world.rank() != late));
}

TEST(BlockDecision, ClocksOfRankZeroDecide) {
  const auto world = comm::Communicator::world();
  ClockState clocks;
  clocks.time_is_up = clocks.checkpoint_is_due = clocks.display_is_due = !world.is_root();
  const auto none = agree_on_decision(world, clocks, "1h");
  EXPECT_EQ(none.stop_reason, "");
  EXPECT_FALSE(none.checkpoint_due || none.display_due || none.all_are_ready);
  clocks.time_is_up = clocks.checkpoint_is_due = clocks.display_is_due = world.is_root();
  const auto all = agree_on_decision(world, clocks, "1h");
  EXPECT_EQ(all.stop_reason, "time limit of 1h");
  EXPECT_TRUE(all.checkpoint_due && all.display_due);
}

}  // namespace
}  // namespace nfold::common
