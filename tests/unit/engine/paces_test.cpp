// Expected lifetimes of neighbour lists and halo plans.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>

#include "engine/halo/cuda/plan_pace.hpp"
#include "engine/list_lifetime.hpp"
#include "engine/move_pace.hpp"

namespace nfold::engine {
namespace {

// Otherwise a block with too long moves would be repeated for ever.
TEST(ListLifetime, GivenIntervalsShrinkIfListsFail) {
  ListLifetime lists(0.05, 0.1, 7, false);
  EXPECT_EQ(lists.next_block_steps(100), 7);
  lists.record_invalid(7);
  EXPECT_EQ(lists.next_block_steps(100), 3);
  lists.record_invalid(3);
  EXPECT_EQ(lists.next_block_steps(100), 1);
  lists.record_invalid(1);
  EXPECT_EQ(lists.next_block_steps(100), 1);
  lists.record_valid(1, 0.5);
  EXPECT_EQ(lists.next_block_steps(100), 6);
  EXPECT_FALSE(lists.are_due());
  lists.record_valid(6, 0.5);
  EXPECT_TRUE(lists.are_due());
}

TEST(PlanPace, ExtrapolatesConstantMove) {
  halo::PlanPace pace;
  for (const double move_nm : {0.2, 0.4, 0.6}) pace.learn(move_nm);
  EXPECT_DOUBLE_EQ(pace.move_after(0), 0.6);
  EXPECT_NEAR(pace.move_after(3), 1.2, 1e-12);
}

TEST(PlanPace, UsesFasterOfLastBlockAndMean) {
  halo::PlanPace pace;
  pace.learn(0.1);
  pace.learn(0.6);
  EXPECT_NEAR(pace.move_after(1), 1.1, 1e-12);
  pace.learn(0.6);
  EXPECT_NEAR(pace.move_after(1), 0.8, 1e-12);
}

TEST(PlanPace, RestartsWithNewPlan) {
  halo::PlanPace pace;
  pace.learn(0.5);
  pace = {};
  EXPECT_EQ(pace.move_after(4), 0);
  pace.learn(0.1);
  EXPECT_NEAR(pace.move_after(2), 0.3, 1e-12);
}

TEST(MovePace, LifetimeIsHalfSkinLessMargin) {
  MovePace pace;
  for (int block = 0; block < 200; ++block) pace.learn(20, 0.1);
  // Without scatter 0.15 nm last 30 steps of 0.005 nm, and the step that reaches it.
  EXPECT_NEAR(static_cast<double>(pace.lifetime(0.3)), 31, 1);
  EXPECT_NEAR(static_cast<double>(pace.lifetime(0.6)), 61, 1);
  const auto before = pace.lifetime(0.3);
  pace.widen_scatter();
  EXPECT_LT(pace.lifetime(0.3), before);
}

struct Blocks {
  std::int64_t steps = 20;
  double lap_seconds = 10;
  int captured = 0;  // number of first blocks captured
};

/// Number of blocks until the skin changes, 0 if it does not.
int blocks_until_next_skin(ListLifetime& lists, std::int64_t& step, const Blocks& blocks = {}) {
  const double skin_nm = lists.skin_nm();
  for (int block = 1; block <= 1000; ++block) {
    step += blocks.steps;
    lists.set_lap_seconds(blocks.lap_seconds);
    lists.learn({false, step, blocks.steps, 0.1, skin_nm, block <= blocks.captured});
    if (lists.skin_nm() != skin_nm) return block;
  }
  return 0;
}

// They wait for new plans and graph captures.
TEST(ListLifetime, FirstCapturedBlocksOfSkinDoNotCount) {
  ListLifetime lists(0, 0.3, 0, false);
  std::int64_t step = 0;
  // Six blocks, and two laps of four.
  EXPECT_EQ(blocks_until_next_skin(lists, step), 14);
  EXPECT_EQ(blocks_until_next_skin(lists, step), 14);
}

TEST(ListLifetime, CapturesOfShortBlocksDoNotCount) {
  ListLifetime lists(0, 0.3, 0, false);
  std::int64_t step = 0;
  const Blocks short_blocks{2000, 0.11, 9};  // 14 us a step
  EXPECT_EQ(blocks_until_next_skin(lists, step, short_blocks), 9 + 8);
  EXPECT_EQ(blocks_until_next_skin(lists, step, {2000, 0.11, 1000}), 2 * (64 + 4))
      << "where there are no others, they do";
}

TEST(ListLifetime, CapturesOfLongBlocksCount) {
  ListLifetime lists(0, 0.3, 0, false);
  std::int64_t step = 0;
  EXPECT_EQ(blocks_until_next_skin(lists, step, {20, 10, 1000}), (64 + 4) + 4)
      << "once it is known how long they take";
  EXPECT_EQ(blocks_until_next_skin(lists, step, {20, 10, 1000}), 6 + 8);
}

// GPU lists beyond their capacity grow only if the skin cannot shrink.
TEST(ListLifetime, SkinShrinksDownToFirst) {
  ListLifetime lists(0, 0.2, 0, false);
  std::int64_t step = 0;
  EXPECT_FALSE(lists.can_shorten_skin(0.2)) << "it is the first";
  blocks_until_next_skin(lists, step);
  const double longer_nm = lists.skin_nm();
  ASSERT_GT(longer_nm, 0.2);
  EXPECT_TRUE(lists.can_shorten_skin(longer_nm));
  lists.shorten_skin_to(0.1, step);
  EXPECT_DOUBLE_EQ(lists.skin_nm(), 0.2);
  for (int skins = 0; skins < 10; ++skins) {
    blocks_until_next_skin(lists, step);
    EXPECT_LE(lists.skin_nm(), 0.2);
  }
  ListLifetime given(0.3, 0.2, 0, false);
  EXPECT_FALSE(given.can_shorten_skin(0.3)) << "a user gave it";
}

/// Lengths of blocks if the pace of residues varies by a tenth.
std::set<std::int64_t> block_lengths(double seconds_a_step) {
  ListLifetime lists(0.3, 0.3, 0, false);
  std::set<std::int64_t> all;
  std::int64_t step = 0;
  for (int block = 0; block < 2000; ++block) {
    const auto steps = lists.captured_block_steps();
    step += steps;
    lists.set_lap_seconds(seconds_a_step * static_cast<double>(steps));
    const double pace_nm = 0.004 + 0.0004 * std::sin(0.05 * block);
    lists.learn({false, step, steps, pace_nm * static_cast<double>(steps - 1), 0.3, false});
    if (block > 100) all.insert(steps);
  }
  return all;
}

TEST(ListLifetime, ShortBlocksHaveFewLengths) {
  const auto short_blocks = block_lengths(1e-5), long_blocks = block_lengths(1);
  EXPECT_LE(short_blocks.size(), 3U);
  EXPECT_GT(long_blocks.size(), 3U) << "their lists last as long as they can";
  for (const auto steps : short_blocks) EXPECT_EQ(steps % 2, 0);
  EXPECT_GT(*short_blocks.begin(), 0.8 * static_cast<double>(*long_blocks.begin()));
}

}  // namespace
}  // namespace nfold::engine
