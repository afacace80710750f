// Which ladders a rank decides, and which of them it counts.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "ensemble/exchange_over_ranks.hpp"

namespace nfold::ensemble {
namespace {

std::vector<LadderShare> shares_of(const std::vector<std::int64_t>& counts, int states) {
  const auto shares = shares_of_counts(counts);
  std::vector<LadderShare> all;
  all.reserve(counts.size());
  for (int rank = 0; rank < static_cast<int>(counts.size()); ++rank) {
    all.push_back(ladder_share(shares, rank, states));
  }
  return all;
}

TEST(LadderShare, HasWholeLaddersAlone) {
  const std::vector<LadderShare> expected{{{0, 2}, {0, 2}}, {{2, 3}, {2, 3}}};
  EXPECT_EQ(shares_of({8, 4}, 4), expected);
  EXPECT_EQ(shares_of({2, 1}, 1), expected);
}

TEST(LadderShare, CountsALadderOfSeveralRanksOnce) {
  const std::vector<LadderShare> expected{{{0, 2}, {0, 2}}, {{1, 3}, {2, 3}}};
  EXPECT_EQ(shares_of({5, 7}, 4), expected);
  const std::vector<LadderShare> of_one{{{0, 1}, {0, 1}}, {{0, 1}, {1, 1}}, {{0, 1}, {1, 1}}};
  EXPECT_EQ(shares_of({2, 1, 1}, 4), of_one);
}

TEST(LadderShare, OfARankWithoutReplicasIsEmpty) {
  const std::vector<LadderShare> expected{
      {{0, 0}, {0, 0}}, {{0, 1}, {0, 1}}, {{1, 1}, {1, 1}}, {{0, 2}, {1, 2}}};
  EXPECT_EQ(shares_of({0, 2, 0, 6}, 4), expected);
}

}  // namespace
}  // namespace nfold::ensemble
