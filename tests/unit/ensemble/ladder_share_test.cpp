// Ladders that a rank decides, and those that it counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "session/ensemble/exchange_over_ranks.hpp"

namespace nfold::ensemble {
namespace {

std::vector<LadderShare> ladder_shares(const std::vector<std::int64_t>& counts, int states) {
  const auto shares = to_shares(counts);
  std::vector<LadderShare> all;
  all.reserve(counts.size());
  for (int rank = 0; rank < static_cast<int>(counts.size()); ++rank) {
    all.push_back(ladder_share(shares, rank, states));
  }
  return all;
}

TEST(LadderShare, AssignsWholeLadders) {
  const std::vector<LadderShare> expected{{{0, 2}, {0, 2}}, {{2, 3}, {2, 3}}};
  EXPECT_EQ(ladder_shares({8, 4}, 4), expected);
  EXPECT_EQ(ladder_shares({2, 1}, 1), expected);
}

TEST(LadderShare, CountsSharedLadderOnce) {
  const std::vector<LadderShare> expected{{{0, 2}, {0, 2}}, {{1, 3}, {2, 3}}};
  EXPECT_EQ(ladder_shares({5, 7}, 4), expected);
  const std::vector<LadderShare> one_ladder{{{0, 1}, {0, 1}}, {{0, 1}, {1, 1}}, {{0, 1}, {1, 1}}};
  EXPECT_EQ(ladder_shares({2, 1, 1}, 4), one_ladder);
}

TEST(LadderShare, IsEmptyWithoutReplicas) {
  const std::vector<LadderShare> expected{
      {{0, 0}, {0, 0}}, {{0, 1}, {0, 1}}, {{1, 1}, {1, 1}}, {{0, 2}, {1, 2}}};
  EXPECT_EQ(ladder_shares({0, 2, 0, 6}, 4), expected);
}

}  // namespace
}  // namespace nfold::ensemble
