// Islands of ranks with peer memory access, on made-up nodes and links.
// SPDX-License-Identifier: BSD-3-Clause
#include "comm/peer_islands.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace nfold::comm {
namespace {

std::vector<char> all_reach(std::size_t ranks) { return std::vector<char>(ranks * ranks, 1); }

void remove_access(std::vector<char>& reaches, std::size_t ranks, std::size_t one,
                   std::size_t other) {
  reaches[one * ranks + other] = 0;
}

TEST(PeerIslands, AreNodesWithFullPeerAccess) {
  EXPECT_EQ(peer_islands(std::vector<int>{0, 0, 2, 2}, all_reach(4), 16),
            (std::vector<int>{0, 0, 2, 2}));
  EXPECT_EQ(peer_islands(std::vector<int>{0, 1, 0, 1}, all_reach(4), 16),
            (std::vector<int>{0, 1, 0, 1}));
}

TEST(PeerIslands, MissingDirectionSeparates) {
  auto reaches = all_reach(4);
  // Two pairs are on one node; rank 2 reaches 1, but 1 does not reach 2.
  remove_access(reaches, 4, 0, 2), remove_access(reaches, 4, 0, 3), remove_access(reaches, 4, 1, 2),
      remove_access(reaches, 4, 1, 3);
  EXPECT_EQ(peer_islands(std::vector<int>{0, 0, 0, 0}, reaches, 16),
            (std::vector<int>{0, 0, 2, 2}));
}

TEST(PeerIslands, FullIslandStartsAnother) {
  const std::vector<int> node(40, 0);
  const auto island = peer_islands(node, all_reach(40), 16);
  EXPECT_EQ(members_of_island(island, 5).size(), 16U);
  EXPECT_EQ(members_of_island(island, 16).front(), 16);
  EXPECT_EQ(members_of_island(island, 39), (std::vector<int>{32, 33, 34, 35, 36, 37, 38, 39}));
}

TEST(PeerIslands, DetectsOneIslandAndAllAlone) {
  EXPECT_TRUE(is_one_island(std::vector<int>{0, 0, 0}));
  EXPECT_FALSE(is_one_island(std::vector<int>{0, 0, 2}));
  EXPECT_TRUE(are_all_alone(std::vector<int>{0, 1, 2}));
  EXPECT_FALSE(are_all_alone(std::vector<int>{0, 1, 1}));
}

TEST(PeerIslands, RefusesWrongTableSizes) {
  EXPECT_THROW((void)peer_islands(std::vector<int>{0, 0}, all_reach(3), 16), std::invalid_argument);
  EXPECT_THROW((void)peer_islands(std::vector<int>{0, 0}, all_reach(2), 0), std::invalid_argument);
}

}  // namespace
}  // namespace nfold::comm
