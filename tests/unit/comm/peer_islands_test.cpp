// Which ranks write into each other's memory, on nodes and links that are made up.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/peer_islands.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace nfold::comm {
namespace {

std::vector<char> all_reach(std::size_t ranks) { return std::vector<char>(ranks * ranks, 1); }

void cut(std::vector<char>& reaches, std::size_t ranks, std::size_t one, std::size_t other) {
  reaches[one * ranks + other] = 0;
}

TEST(PeerIslands, AreTheNodesWhereAllGpusReachEachOther) {
  EXPECT_EQ(peer_islands(std::vector<int>{0, 0, 2, 2}, all_reach(4), 16),
            (std::vector<int>{0, 0, 2, 2}));
  EXPECT_EQ(peer_islands(std::vector<int>{0, 1, 0, 1}, all_reach(4), 16),
            (std::vector<int>{0, 1, 0, 1}));
}

TEST(PeerIslands, ADirectionThatIsMissingParts) {
  auto reaches = all_reach(4);
  // Two pairs on one node; from 2 to 1 there is a way, back there is none.
  cut(reaches, 4, 0, 2), cut(reaches, 4, 0, 3), cut(reaches, 4, 1, 2), cut(reaches, 4, 1, 3);
  EXPECT_EQ(peer_islands(std::vector<int>{0, 0, 0, 0}, reaches, 16),
            (std::vector<int>{0, 0, 2, 2}));
}

TEST(PeerIslands, AFullOneIsFollowedByAnother) {
  const std::vector<int> node(40, 0);
  const auto island = peer_islands(node, all_reach(40), 16);
  EXPECT_EQ(members_of_island(island, 5).size(), 16U);
  EXPECT_EQ(members_of_island(island, 16).front(), 16);
  EXPECT_EQ(members_of_island(island, 39), (std::vector<int>{32, 33, 34, 35, 36, 37, 38, 39}));
}

TEST(PeerIslands, OneOrAllAlone) {
  EXPECT_TRUE(is_one_island(std::vector<int>{0, 0, 0}));
  EXPECT_FALSE(is_one_island(std::vector<int>{0, 0, 2}));
  EXPECT_TRUE(are_all_alone(std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(are_all_alone(std::vector<int>{0, 1, 1}));
}

TEST(PeerIslands, TablesOfOtherSizesAreRefused) {
  EXPECT_THROW((void)peer_islands(std::vector<int>{0, 0}, all_reach(3), 16), std::invalid_argument);
  EXPECT_THROW((void)peer_islands(std::vector<int>{0, 0}, all_reach(2), 0), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::comm
