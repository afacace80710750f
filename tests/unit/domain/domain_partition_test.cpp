// Structural domains: found as communities, completed along chains, kept whole if they fit.
// SPDX-License-Identifier: BSD-3-Clause
#include "domain/domain_partition.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <stdexcept>

#include "domain/communities.hpp"
#include "domain/unit_distribution.hpp"

namespace nfold::domain {
namespace {

/// Cliques of these sizes in a row; each has one weak edge to the next.
ResidueGraph cliques(const std::vector<int>& sizes) {
  const int all = std::accumulate(sizes.begin(), sizes.end(), 0);
  ResidueGraph graph;
  graph.first.push_back(0);
  int begin = 0;
  for (const int size : sizes) {
    for (int k = 0; k < size; ++k) {
      const int id = begin + k;
      const auto add = [&](int other, int weight) {
        graph.neighbour.push_back(other);
        graph.weight.push_back(weight);
      };
      if (k == 0 && id > 0) add(id - 1, 1);
      for (int other = begin; other < begin + size; ++other) {
        if (other != id) add(other, 4);
      }
      if (k == size - 1 && id + 1 < all) add(id + 1, 1);
      graph.first.push_back(static_cast<std::int64_t>(graph.neighbour.size()));
    }
    begin += size;
  }
  return graph;
}

/// Number of the clique of each residue.
std::vector<int> clique_numbers(const std::vector<int>& sizes) {
  std::vector<int> number;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    number.insert(number.end(), static_cast<std::size_t>(sizes[c]), static_cast<int>(c));
  }
  return number;
}

std::vector<double> even(std::size_t residues) { return std::vector<double>(residues, 1.0); }

TEST(Communities, MatchCliques) {
  const std::vector<int> sizes{8, 5, 12, 6, 6, 9};
  EXPECT_EQ(communities(cliques(sizes)), clique_numbers(sizes));
  EXPECT_TRUE(communities(residue_graph({}, {})).empty());
  ResidueGraph apart;
  apart.first = {0, 0, 0, 0};  // three residues without edges
  EXPECT_EQ(communities(apart), (std::vector<int>{0, 1, 2}));
}

TEST(Communities, MergeHierarchically) {
  // In a ring of 60 pairs single moves make communities, which then merge.
  ResidueGraph ring;
  ring.first.push_back(0);
  constexpr int residues = 120;
  for (int id = 0; id < residues; ++id) {
    const int twin = id ^ 1, next = (id + (id % 2 == 0 ? residues - 1 : 1)) % residues;
    ring.neighbour.insert(ring.neighbour.end(), {twin, next});
    ring.weight.insert(ring.weight.end(), {3, 2});
    ring.first.push_back(static_cast<std::int64_t>(ring.neighbour.size()));
  }
  const auto found = communities(ring);
  const std::set<int> distinct(found.begin(), found.end());
  EXPECT_GT(distinct.size(), 4u);
  EXPECT_LT(distinct.size(), 30u);
  for (std::size_t id = 0; id < found.size(); id += 2) EXPECT_EQ(found[id], found[id + 1]);
}

TEST(StructuralDomains, PreferGivenThenTopologyThenCommunities) {
  topology::Topology t;
  t.residues.items().resize(12);
  t.chains.push_back({"A", 0, 8});
  t.chains.push_back({"B", 8, 4});
  const auto graph = cliques({6, 6});
  EXPECT_EQ(structural_domains(t, graph), clique_numbers({6, 6}));
  t.chains[1].molecule = 1;  // a community of two molecules is two
  EXPECT_EQ(structural_domains(t, graph), clique_numbers({6, 2, 4}));
  t.residues.items()[1].domain = 7;
  t.residues.items()[5].domain = 3;
  // Three residues between them: two go to the first, one to the second.
  EXPECT_EQ(structural_domains(t, graph), (std::vector<int>{7, 7, 7, 7, 3, 3, 3, 3, 8, 8, 8, 8}));
  const std::vector<int> given{-1, -1, 0, -1, -1, -1, -1, -1, -1, 1, -1, -1};
  EXPECT_EQ(structural_domains(t, graph, given),
            (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1}));
}

TEST(WholeDomains, StayOnOneRankIfTheyFit) {
  const std::vector<int> sizes{30, 20, 25, 25, 40, 10, 25, 25};
  const auto domains = clique_numbers(sizes);
  const auto graph = cliques(sizes);
  for (const int ranks : {1, 2, 4}) {
    const auto owner = whole_domains(graph, domains, even(200), ranks);
    std::vector<std::set<int>> owners(sizes.size());
    for (std::size_t id = 0; id < owner.size(); ++id) {
      owners[static_cast<std::size_t>(domains[id])].insert(owner[id]);
    }
    for (const auto& one : owners) EXPECT_EQ(one.size(), 1u) << ranks;
    EXPECT_LT(load_imbalance(even(200), owner, ranks), 1.03) << ranks;
  }
}

TEST(WholeDomains, SplitIfTooLarge) {
  const std::vector<int> sizes{90, 10, 10, 10};
  const auto owner = whole_domains(cliques(sizes), clique_numbers(sizes), even(120), 4);
  EXPECT_EQ(std::set<int>(owner.begin(), owner.end()).size(), 4u);
  EXPECT_LT(load_imbalance(even(120), owner, 4), 1.1);
}

TEST(WholeDomains, FollowNodesAndSpeeds) {
  const std::vector<int> sizes{20, 20, 20, 20};
  const std::vector<int> node{0, 7, 0, 7};
  const auto owner = whole_domains(cliques(sizes), clique_numbers(sizes), even(80), 4, {}, node);
  EXPECT_EQ(load_imbalance(even(80), owner, 4), 1);
  // The first two of four cliques in a row are on one node.
  EXPECT_EQ(node[static_cast<std::size_t>(owner[0])], node[static_cast<std::size_t>(owner[20])]);
  EXPECT_NE(node[static_cast<std::size_t>(owner[0])], node[static_cast<std::size_t>(owner[40])]);
  const std::vector<double> speed{3, 1};
  const auto load = rank_loads(
      even(80), whole_domains(cliques(sizes), clique_numbers(sizes), even(80), 2, speed), 2);
  EXPECT_EQ(load, (std::vector<double>{60, 20}));
}

TEST(WholeDomains, AreReproducible) {
  const std::vector<int> sizes{31, 22, 13, 44, 25, 16, 7};
  const auto graph = cliques(sizes);
  const auto work = even(158);
  const auto first = whole_domains(graph, clique_numbers(sizes), work, 3);
  (void)whole_domains(graph, clique_numbers(sizes), work, 5);
  EXPECT_EQ(whole_domains(graph, clique_numbers(sizes), work, 3), first);
}

TEST(WholeDomains, RefuseMismatchedSizes) {
  const auto graph = cliques({3});
  const std::vector<int> domains{0, 0, 0}, too_short{0}, one_node{1};
  EXPECT_THROW((void)whole_domains(graph, too_short, even(3), 2), std::invalid_argument);
  EXPECT_THROW((void)whole_domains(graph, domains, even(2), 2), std::invalid_argument);
  EXPECT_THROW((void)whole_domains(graph, domains, even(3), 0), std::invalid_argument);
  EXPECT_THROW((void)whole_domains(graph, domains, even(3), 2, {}, one_node),
               std::invalid_argument);
  EXPECT_EQ(whole_domains(graph, domains, std::vector<double>(3, 0), 2), (Ownership{0, 0, 0}));
  EXPECT_TRUE(whole_domains(residue_graph({}, {}), {}, {}, 3).empty());
}

TEST(DistributeUnits, KeepsTiedUnitsTogether) {
  // Two pairs of equal units with edges between the pairs.
  const std::vector<TiedUnit> units{{1, {{3, 5}}}, {1, {{2, 5}}}, {1, {{1, 5}}}, {1, {{0, 5}}}};
  const std::vector<double> part{1, 1};
  const auto unit_parts = distribute_units(units, part);
  EXPECT_EQ(unit_parts[0], unit_parts[3]);
  EXPECT_EQ(unit_parts[1], unit_parts[2]);
  EXPECT_NE(unit_parts[0], unit_parts[1]);
}

TEST(DistributeUnits, ImprovesLargestFirstByMovesAndSwaps) {
  // Largest-first assignment ends at 7 and 5.
  const std::vector<TiedUnit> units{{3, {}}, {3, {}}, {2, {}}, {2, {}}, {2, {}}};
  const std::vector<double> part{1, 1};
  const auto unit_parts = distribute_units(units, part);
  double first = 0;
  for (std::size_t u = 0; u < units.size(); ++u) first += unit_parts[u] == 0 ? units[u].work : 0;
  EXPECT_EQ(first, 6);
}

TEST(DistributeUnits, UsesGivenStart) {
  // Largest-first assignment ends at 21 and 19; no move and no swap of two improves it.
  const std::vector<TiedUnit> units{{10, {}}, {10, {}}, {9, {}}, {5, {}}, {4, {}}, {2, {}}};
  const std::vector<double> part{1, 1};
  const std::vector<std::size_t> start{0, 0, 1, 1, 1, 1};
  const auto unit_parts = distribute_units(units, part, start);
  EXPECT_NE(distribute_units(units, part), start);
  EXPECT_EQ(unit_parts, start);
}

}  // namespace
}  // namespace nfold::domain
