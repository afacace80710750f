// Order of ranks by node, and partitions that keep the region of each node compact.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/rank_levels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "domain/cluster_partition.hpp"
#include "domain/domain_partition.hpp"
#include "domain/space_partition.hpp"

namespace nfold::domain {
namespace {

TEST(RankLevels, OneNodeKeepsRankOrder) {
  for (const auto& node : {std::vector<int>{}, std::vector<int>{4, 4, 4}}) {
    const RankLevels levels(3, {}, node);
    EXPECT_EQ(levels.ranks, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(levels.node_begin, (std::vector<int>{0, 3}));
    EXPECT_EQ(levels.lower_half(0, 3), 1);
    EXPECT_EQ(levels.lower_half(1, 2), 1);
  }
}

TEST(RankLevels, OrderRanksByNodeWithTheirSpeeds) {
  const std::vector<int> node{7, 0, 7, 0, 7};
  const std::vector<double> speed{1, 2, 3, 4, 10};
  const RankLevels levels(5, speed, node);
  EXPECT_EQ(levels.ranks, (std::vector<int>{1, 3, 0, 2, 4}));
  EXPECT_EQ(levels.node_begin, (std::vector<int>{0, 2, 5}));
  EXPECT_DOUBLE_EQ(levels.part_before[2], 0.3);
  const auto nodes = levels.nodes();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1].ranks, (std::vector<int>{0, 2, 4}));
  EXPECT_DOUBLE_EQ(nodes[1].part[2], 0.5);
}

TEST(RankLevels, BisectBetweenNodes) {
  const std::vector<int> node{0, 0, 1, 1, 2, 2};
  const RankLevels levels(6, {}, node);
  EXPECT_EQ(levels.lower_half(0, 6), 2) << "not 3, which would divide a node";
  EXPECT_EQ(levels.lower_half(2, 4), 2);
  EXPECT_EQ(levels.lower_half(4, 2), 1);
}

TEST(RankLevels, RefuseOtherNumbersOfRanks) {
  const std::vector<int> node{0, 1};
  EXPECT_THROW(RankLevels(3, {}, node), std::invalid_argument);
  EXPECT_THROW(RankLevels(3, std::vector<double>{1, 2}), std::invalid_argument);
  EXPECT_THROW(RankLevels(0), std::invalid_argument);
}

/// Residues in a row, each bound to the next.
class Row : public testing::Test {
 protected:
  static constexpr int residues = 1200;
  Row() {
    for (int id = 0; id < residues; ++id) {
      positions.push_back({box.to_counts(0, 0.4 * id), 0, 0});
      if (id > 0) graph.neighbour.push_back(id - 1);
      if (id + 1 < residues) graph.neighbour.push_back(id + 1);
      graph.first.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
      domains.push_back(id / 10);
    }
    graph.weight.assign(graph.neighbour.size(), 1);
  }
  std::vector<Ownership> partitions(int ranks, std::span<const double> speed,
                                    std::span<const int> node) const {
    return {residue_ranges(work, ranks, speed, node),
            recursive_bisection(box, positions, work, ranks, speed, node),
            hilbert_curve(box, positions, work, ranks, speed, node),
            contact_clusters(graph, work, ranks, speed, node),
            whole_domains(graph, domains, work, ranks, speed, node)};
  }
  system::Box box;
  std::vector<system::FixedPosition> positions;
  std::vector<double> work = std::vector<double>(residues, 1.0);
  ResidueGraph graph{{0}, {}, {}};
  std::vector<int> domains;
};

/// The region of a node is that of one rank with the speed of all of its ranks.
TEST_F(Row, NodesAreDividedFirst) {
  for (const auto& node : {std::vector<int>{0, 0, 1, 1}, std::vector<int>{0, 1, 0, 1},
                           std::vector<int>{0, 0, 1, 1, 2, 2}, std::vector<int>{2, 0, 1, 2, 0, 1},
                           std::vector<int>{0, 1, 1, 1, 1, 1, 1, 1}}) {
    const int ranks = static_cast<int>(node.size());
    const int nodes = 1 + *std::max_element(node.begin(), node.end());
    std::vector<double> node_speed(static_cast<std::size_t>(nodes), 0);
    for (const int one : node) node_speed[static_cast<std::size_t>(one)] += 1;
    const auto over_nodes = partitions(nodes, node_speed, {});
    const auto over_ranks = partitions(ranks, {}, node);
    for (std::size_t method = 0; method < over_ranks.size(); ++method) {
      auto node_of = over_ranks[method];
      for (int& owner : node_of) owner = node[static_cast<std::size_t>(owner)];
      EXPECT_EQ(node_of, over_nodes[method]) << "method " << method;
      EXPECT_LT(load_imbalance(work, over_ranks[method], ranks), 1.06) << "method " << method;
    }
  }
}

TEST_F(Row, OneNodeIsLikeNone) {
  const std::vector<int> node(5, 3);
  EXPECT_EQ(partitions(5, {}, node), partitions(5, {}, {}));
}

}  // namespace
}  // namespace nfold::domain
