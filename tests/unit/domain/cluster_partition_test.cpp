// Contact clusters: few contacts cut, equal work, whole nodes, reproducibility.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/cluster_partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>

namespace nfold::domain {
namespace {

/// Balls of residues with interleaved ids; ranges of ids cut every ball.
struct Balls {
  topology::Topology topology;
  std::vector<system::FixedPosition> positions;
  std::vector<double> work;

  Balls(int balls, int residues) : work(static_cast<std::size_t>(residues), 1.0) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> along(0, 1.8);
    topology.residues.items().resize(work.size());
    for (int id = 0; id < residues; ++id) {
      std::array<double, 3> x{along(random) + 2.5 * (id % balls), along(random), along(random)};
      system::FixedPosition fixed;
      for (std::size_t k = 0; k < 3; ++k) fixed[k] = topology.box.to_counts(k, x[k]);
      positions.push_back(fixed);
    }
    for (int id = balls; id < residues; ++id) {
      topology.contacts_12_10.push_back({id - balls, id, 0.6, 1});
    }
    for (int id = 1; id < balls; ++id) topology.bonds.push_back({id - 1, id, 0.38, 1000});
  }
  [[nodiscard]] ResidueGraph graph() const { return residue_graph(topology, positions); }
  [[nodiscard]] int contacts_cut(const Ownership& owner) const {
    int cut = 0;
    for (const auto& contact : topology.contacts_12_10) {
      cut +=
          owner[static_cast<std::size_t>(contact.i)] != owner[static_cast<std::size_t>(contact.j)];
    }
    return cut;
  }
};

TEST(ContactClusters, MatchSeparateBalls) {
  const Balls balls(4, 400);
  const auto owner = contact_clusters(balls.graph(), balls.work, 4);
  EXPECT_EQ(balls.contacts_cut(owner), 0);
  EXPECT_GT(balls.contacts_cut(residue_ranges(balls.work, 4)), 2);
  EXPECT_EQ(load_imbalance(balls.work, owner, 4), 1);
}

TEST(ContactClusters, BalanceWorkAndSpeeds) {
  Balls balls(3, 900);
  for (std::size_t id = 0; id < balls.work.size(); ++id)
    balls.work[id] = 1.0 + static_cast<double>(id % 5);
  const auto graph = balls.graph();
  for (const int ranks : {1, 2, 3, 5, 8, 13}) {
    const auto owner = contact_clusters(graph, balls.work, ranks);
    EXPECT_EQ(std::set<int>(owner.begin(), owner.end()).size(), static_cast<std::size_t>(ranks));
    EXPECT_LT(load_imbalance(balls.work, owner, ranks), 1.03) << ranks;
  }
  const std::vector<double> speed{1, 2, 0.5, 1, 3};
  const auto load = rank_loads(balls.work, contact_clusters(graph, balls.work, 5, speed), 5);
  const double all = std::accumulate(balls.work.begin(), balls.work.end(), 0.0);
  for (std::size_t rank = 0; rank < 5; ++rank) {
    EXPECT_LT(load[rank], 1.03 * all * speed[rank] / 7.5) << rank;
  }
}

TEST(ContactClusters, AreReproducible) {
  const Balls balls(5, 500);
  const auto graph = balls.graph();
  const auto first = contact_clusters(graph, balls.work, 6);
  (void)contact_clusters(graph, balls.work, 3);
  EXPECT_EQ(contact_clusters(graph, balls.work, 6), first);
  EXPECT_EQ(partition_checksum(contact_clusters(balls.graph(), balls.work, 6)),
            partition_checksum(first));
  EXPECT_NE(partition_checksum(contact_clusters(graph, balls.work, 5)), partition_checksum(first));
}

TEST(ContactClusters, KeepLargeBoundariesInsideNodes) {
  // Two balls for two nodes with interleaved ranks.
  const Balls balls(2, 600);
  const std::vector<int> node{0, 7, 0, 7};
  const auto owner = contact_clusters(balls.graph(), balls.work, 4, {}, node);
  std::vector<int> nodes_of_ball(2, -1);
  for (std::size_t id = 0; id < owner.size(); ++id) {
    int& seen = nodes_of_ball[id % 2];
    const int here = node[static_cast<std::size_t>(owner[id])];
    if (seen < 0) seen = here;
    EXPECT_EQ(seen, here) << id;
  }
  EXPECT_NE(nodes_of_ball[0], nodes_of_ball[1]);
  EXPECT_LT(load_imbalance(balls.work, owner, 4), 1.03);
}

TEST(ContactClusters, BalanceUnequalNodes) {
  const Balls balls(4, 1600);
  const std::vector<int> node{3, 3, 3, 1};
  const auto load =
      rank_loads(balls.work, contact_clusters(balls.graph(), balls.work, 4, {}, node), 4);
  for (const double one : load) EXPECT_NEAR(one, 400, 16);
}

TEST(ContactClusters, UseAllRanks) {
  for (const int residues : {3, 8, 9, 17, 40}) {
    const Balls balls(2, residues);
    for (const int ranks : {2, 5, 8, 40}) {
      const auto owner = contact_clusters(balls.graph(), balls.work, ranks);
      EXPECT_EQ(static_cast<int>(std::set<int>(owner.begin(), owner.end()).size()),
                std::min(residues, ranks))
          << residues << " on " << ranks;
    }
  }
  const Balls balls(2, 3);
  EXPECT_EQ(contact_clusters(balls.graph(), std::vector<double>(3, 0.0), 2), (Ownership{0, 0, 0}));
  EXPECT_TRUE(contact_clusters(residue_graph({}, {}), {}, 4).empty());
}

TEST(ContactClusters, RefuseMismatchedSizes) {
  const Balls balls(1, 3);
  const auto graph = balls.graph();
  const std::vector<double> work(3, 1.0);
  const std::vector<int> one_node{1};
  EXPECT_THROW((void)contact_clusters(graph, std::vector<double>(2, 1.0), 2),
               std::invalid_argument);
  EXPECT_THROW((void)contact_clusters(graph, std::vector<double>{1, -1, 1}, 2),
               std::invalid_argument);
  EXPECT_THROW((void)contact_clusters(graph, work, 0), std::invalid_argument);
  EXPECT_THROW((void)contact_clusters(graph, work, 2, {}, one_node), std::invalid_argument);
  EXPECT_THROW((void)residue_graph(balls.topology, {}), std::invalid_argument);
}

TEST(ResidueGraph, ListsEachPairFromBothEnds) {
  topology::Topology t;
  t.residues.items().resize(4);
  t.box = {{5, 5, 5}};
  t.bonds.push_back({0, 1, 0.38, 1});
  t.contacts_12_10.push_back({1, 3, 0.6, 1});
  const auto position_at = [&](double x) {
    return system::FixedPosition{t.box.to_counts(0, x), 0, 0};
  };
  // 0 and 1 are near across the boundary; 3 is far from all.
  const std::vector<system::FixedPosition> positions{position_at(0.1), position_at(4.9),
                                                     position_at(0.9), position_at(2.5)};
  const auto graph = residue_graph(t, positions);
  EXPECT_EQ(graph.first, (std::vector<std::int64_t>{0, 2, 4, 5, 6}));
  EXPECT_EQ(graph.neighbour, (std::vector<int>{1, 2, 0, 3, 0, 1}));
  EXPECT_EQ(graph.weight, (std::vector<int>{8, 4, 8, 28, 4, 28}));  // bond: 4, contact: 28, near: 4
}

}  // namespace
}  // namespace nfold::domain
