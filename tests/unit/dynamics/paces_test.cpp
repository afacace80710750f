// How long lists and halo plans are expected to last.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

#include "dynamics/list_life.hpp"
#include "dynamics/move_pace.hpp"
#include "halo/cuda/plan_pace.hpp"

namespace nfold::dynamics {
namespace {

// Or a block that moves too far would be tried for ever.
TEST(ListLife, GivenIntervalsAreCutWhereListsDoNotServe) {
  ListLife lists(0.05, 0.1, 7, false);
  EXPECT_EQ(lists.next_block(100), 7);
  lists.did_not_serve(7);
  EXPECT_EQ(lists.next_block(100), 3);
  lists.did_not_serve(3);
  EXPECT_EQ(lists.next_block(100), 1);
  lists.did_not_serve(1);
  EXPECT_EQ(lists.next_block(100), 1);
  lists.served(1, 0.5);
  EXPECT_EQ(lists.next_block(100), 6);
  EXPECT_FALSE(lists.are_due());
  lists.served(6, 0.5);
  EXPECT_TRUE(lists.are_due());
}

TEST(PlanPace, ForeseesTheSameMoveOfEachBlock) {
  halo::PlanPace pace;
  for (const double move_nm : {0.2, 0.4, 0.6}) pace.learn(move_nm);
  EXPECT_DOUBLE_EQ(pace.move_after(0), 0.6);
  EXPECT_NEAR(pace.move_after(3), 1.2, 1e-12);
}

TEST(PlanPace, GoesByTheFasterOfTheLastBlockAndTheirMean) {
  halo::PlanPace pace;
  pace.learn(0.1);
  pace.learn(0.6);
  EXPECT_NEAR(pace.move_after(1), 1.1, 1e-12);
  pace.learn(0.6);
  EXPECT_NEAR(pace.move_after(1), 0.8, 1e-12);
}

TEST(PlanPace, BeginsAnewWithAPlan) {
  halo::PlanPace pace;
  pace.learn(0.5);
  pace = {};
  EXPECT_EQ(pace.move_after(4), 0);
  pace.learn(0.1);
  EXPECT_NEAR(pace.move_after(2), 0.3, 1e-12);
}

TEST(MovePace, LastsAsLongAsHalfTheSkinLessAMargin) {
  MovePace pace;
  for (int block = 0; block < 200; ++block) pace.learn(20, 0.1);
  // The scatter has died away: 0.15 nm at 0.005 nm a step, and the step that reaches it.
  EXPECT_NEAR(static_cast<double>(pace.lifetime(0.3)), 31, 1);
  EXPECT_NEAR(static_cast<double>(pace.lifetime(0.6)), 61, 1);
  const auto before = pace.lifetime(0.3);
  pace.was_too_slow();
  EXPECT_LT(pace.lifetime(0.3), before);
}

struct Blocks {
  std::int64_t steps = 20;
  double lap_seconds = 10;
  int new_ones = 0;  // the first so many were recorded for their own time
};

/// Blocks by lists of the present skin, until another skin is due.
int blocks_until_next_skin(ListLife& lists, std::int64_t& step, const Blocks& blocks = {}) {
  const double skin_nm = lists.skin_nm();
  for (int block = 1; block <= 1000; ++block) {
    step += blocks.steps;
    lists.agree_on_lap(blocks.lap_seconds);
    lists.learn({false, step, blocks.steps, 0.1, skin_nm, block <= blocks.new_ones});
    if (lists.skin_nm() != skin_nm) return block;
  }
  return 0;
}

// They have new plans and recordings to wait for.
TEST(ListLife, TheFirstRecordedBlocksOfASkinDoNotCount) {
  ListLife lists(0, 0.3, 0, false);
  std::int64_t step = 0;
  // Six, and two laps of four.
  EXPECT_EQ(blocks_until_next_skin(lists, step), 14);
  EXPECT_EQ(blocks_until_next_skin(lists, step), 14);
}

// Nor do those that a GPU waited for.
TEST(ListLife, RecordingsOfShortBlocksDoNotCount) {
  ListLife lists(0, 0.3, 0, false);
  std::int64_t step = 0;
  const Blocks short_ones{2000, 0.11, 9};  // 14 us a step
  EXPECT_EQ(blocks_until_next_skin(lists, step, short_ones), 9 + 8);
  EXPECT_EQ(blocks_until_next_skin(lists, step, {2000, 0.11, 1000}), 2 * (64 + 4))
      << "where there are no others, they do";
}
TEST(ListLife, RecordingsOfLongBlocksCount) {
  ListLife lists(0, 0.3, 0, false);
  std::int64_t step = 0;
  EXPECT_EQ(blocks_until_next_skin(lists, step, {20, 10, 1000}), (64 + 4) + 4)
      << "once it is known how long they take";
  EXPECT_EQ(blocks_until_next_skin(lists, step, {20, 10, 1000}), 6 + 8);
}

// A GPU's lists that found no room grow only where the skin cannot be shorter.
TEST(ListLife, SkinsGiveWayDownToTheFirst) {
  ListLife lists(0, 0.2, 0, false);
  std::int64_t step = 0;
  EXPECT_FALSE(lists.can_give_way(0.2)) << "it is the first";
  blocks_until_next_skin(lists, step);
  const double longer_nm = lists.skin_nm();
  ASSERT_GT(longer_nm, 0.2);
  EXPECT_TRUE(lists.can_give_way(longer_nm));
  lists.give_way(0.1, step);
  EXPECT_DOUBLE_EQ(lists.skin_nm(), 0.2);
  for (int skins = 0; skins < 10; ++skins) {
    blocks_until_next_skin(lists, step);
    EXPECT_LE(lists.skin_nm(), 0.2);
  }
  ListLife given(0.3, 0.2, 0, false);
  EXPECT_FALSE(given.can_give_way(0.3)) << "a user gave it";
}

/// Lengths of blocks where residues' pace varies by a tenth.
std::set<std::int64_t> lengths(double seconds_a_step) {
  ListLife lists(0.3, 0.3, 0, false);
  std::set<std::int64_t> all;
  std::int64_t step = 0;
  for (int block = 0; block < 2000; ++block) {
    const auto steps = lists.recorded_block();
    step += steps;
    lists.agree_on_lap(seconds_a_step * static_cast<double>(steps));
    const double pace_nm = 0.004 + 0.0004 * std::sin(0.05 * block);
    lists.learn({false, step, steps, pace_nm * static_cast<double>(steps - 1), 0.3, false});
    if (block > 100) all.insert(steps);
  }
  return all;
}

TEST(ListLife, ShortBlocksHaveFewLengths) {
  const auto short_ones = lengths(1e-5), long_ones = lengths(1);
  EXPECT_LE(short_ones.size(), 3U);
  EXPECT_GT(long_ones.size(), 3U) << "their lists last as long as they can";
  for (const auto steps : short_ones) EXPECT_EQ(steps % 2, 0);
  EXPECT_GT(*short_ones.begin(), 0.8 * static_cast<double>(*long_ones.begin()));
}

}  // namespace
}  // namespace nfold::dynamics
